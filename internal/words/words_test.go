package words

import (
	"math"
	"testing"
	"time"
)

func TestWords(t *testing.T) {
	for got, want := range map[string]string{
		Ms(2 * time.Second): "2000.0 ms", Ms(51234567): "51.2 ms", Ms(400): "0.000 ms", Ms(0): "0.0 ms", Ms(-1500000): "-1.5 ms", Ms(123456): "0.123 ms",
		Short(0.944): "0.94", Short(4.23): "4.2", Short(39.4): "39", Short(12064): "12064", Short(math.Inf(1)): "?", Short(math.NaN()): "?",
		Percent(0.44): "44 %", Percent(0.0123): "1.2 %", Percent(0): "0 %", Percent(math.NaN()): "0 %",
		Part[int64](1, 3): "33 %", Part[int64](1, 0): "0 %", Part(time.Second, 100*time.Second): "1 %",
		Count(1, "request"): "1 request", Count(24, "request"): "24 requests", Between(3, 3): "3", Between(12, 22): "12 to 22",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if Millis(1234567) != 1.235 {
		t.Error(Millis(1234567))
	}
}
