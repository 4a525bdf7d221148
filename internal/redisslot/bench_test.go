package redisslot

import (
	"fmt"
	"testing"
)

func BenchmarkOf(b *testing.B) {
	for _, key := range []string{"user:36:profile", "price:{eu}:1000", "session:0c6b1f5e-9a8e-4f0e-9a51-2a8f3f1d7c11:attributes:cart"} {
		b.Run(fmt.Sprint(len(key)), func(b *testing.B) {
			b.SetBytes(int64(len(key)))
			var sum int
			for b.Loop() {
				sum += int(Of(key))
			}
		})
	}
}

func BenchmarkPlan(b *testing.B) {
	keys := make([]string, 1000)
	for i := range keys {
		keys[i] = fmt.Sprintf("user:%d:profile", i)
	}
	c, _ := Even(5)
	for b.Loop() {
		if _, err := Plan(keys, 100, c); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFindAnchors(b *testing.B) {
	c, _ := Even(100)
	for b.Loop() {
		if _, err := FindAnchors("routing:v1:%d", c, 4, 0); err != nil {
			b.Fatal(err)
		}
	}
}
