package browser

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestPicture makes the picture of the README, docs/report.png, where
// SCREENSHOTS says where to: excerpts of a report, the verdict and two charts.
func TestPicture(t *testing.T) {
	dir := os.Getenv("SCREENSHOTS")
	if dir == "" {
		t.Skip("SCREENSHOTS names no directory")
	}
	w := open(t, browse(t), report(t, reports[0].args...))
	w.look(1080, 900, false, false)
	page, err := png.Decode(bytes.NewReader(do(w, chromedp.FullScreenshot(100))))
	if err != nil {
		t.Fatal(err)
	}
	var parts []image.Image
	width, height := 0, margin
	for _, what := range []string{".verdict", "figure.spectrum", "figure.timeline"} {
		at := ask[[]int](w, fmt.Sprintf(`(r => [r.left, r.top + scrollY, r.right, r.bottom + scrollY].map(Math.round))(document.querySelector(%q).getBoundingClientRect())`, what))
		part := page.(interface {
			SubImage(image.Rectangle) image.Image
		}).SubImage(image.Rect(at[0], at[1], at[2], at[3]))
		parts = append(parts, part)
		width = max(width, part.Bounds().Dx())
		height += part.Bounds().Dy() + margin
	}
	all := image.NewRGBA(image.Rect(0, 0, width+2*margin, height))
	draw.Draw(all, all.Bounds(), image.White, image.Point{}, draw.Src)
	y := margin
	for _, part := range parts {
		draw.Draw(all, image.Rect(margin, y, margin+width, y+part.Bounds().Dy()), part, part.Bounds().Min, draw.Src)
		y += part.Bounds().Dy() + margin
	}
	var out bytes.Buffer
	small := image.NewPaletted(all.Bounds(), palette(all))
	draw.Draw(small, small.Bounds(), all, image.Point{}, draw.Src)
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, small); err != nil {
		t.Fatal(err)
	}
	if out.Len() > 200_000 {
		t.Errorf("%d bytes: too many for a README", out.Len())
	}
	if err := os.WriteFile(filepath.Join(dir, "report.png"), out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

const margin = 16

// palette is the colours that a picture has most of.
func palette(im *image.RGBA) color.Palette {
	count := map[color.RGBA]int{}
	for y := range im.Bounds().Dy() {
		for x := range im.Bounds().Dx() {
			count[im.RGBAAt(x, y)]++
		}
	}
	var out color.Palette
	for range 256 {
		var most color.RGBA
		n := 0
		for c, k := range count {
			if k > n || k == n && n > 0 && before(c, most) {
				most, n = c, k
			}
		}
		if n == 0 {
			break
		}
		delete(count, most)
		out = append(out, most)
	}
	return out
}

func before(a, b color.RGBA) bool {
	return int(a.R)<<16|int(a.G)<<8|int(a.B) < int(b.R)<<16|int(b.G)<<8|int(b.B)
}
