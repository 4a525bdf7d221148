// Package redisslot knows how Redis Cluster spreads keys: the slot of a key,
// the commands that a batch of keys splits into, which primary serves a slot,
// and hash tags that reach every primary.
//
// Source of the rules: the Redis Cluster specification, "Key distribution
// model" and "Hash tags". A key's slot is CRC16(key) mod 16384; where the key
// has a hash tag, only the tag is hashed, so that keys with one tag share a
// slot, and a command on several keys is possible.
package redisslot

import "strings"

// Count is the number of slots of a Redis Cluster.
const Count = 16384

// Slot is the number of a slot, 0 to Count-1.
type Slot uint16

// CRC16 returns the checksum that slots are made of: CRC-16/XMODEM (polynomial
// 0x1021, start value 0, not reflected). CRC16("123456789") is 0x31C3.
func CRC16(b string) uint16 {
	var crc uint16
	for ; len(b) >= 8; b = b[8:] {
		crc = table[7][byte(crc>>8)^b[0]] ^ table[6][byte(crc)^b[1]] ^
			table[5][b[2]] ^ table[4][b[3]] ^ table[3][b[4]] ^ table[2][b[5]] ^ table[1][b[6]] ^ table[0][b[7]]
	}
	for i := range len(b) {
		crc = crc<<8 ^ table[0][byte(crc>>8)^b[i]]
	}
	return crc
}

// table[k][b] is the checksum of byte b followed by k zero bytes, so that eight
// bytes are looked up at once.
var table = func() (t [8][256]uint16) {
	for b := range t[0] {
		crc := uint16(b) << 8
		for range 8 {
			carry := crc & 0x8000
			crc <<= 1
			if carry != 0 {
				crc ^= 0x1021
			}
		}
		t[0][b] = crc
	}
	for k := 1; k < len(t); k++ {
		for b := range t[k] {
			crc := t[k-1][b]
			t[k][b] = crc<<8 ^ t[0][crc>>8]
		}
	}
	return t
}()

// Tag returns the part of a key that is hashed: the text between the first {
// and the next } where it is not empty (tagged is true), else the whole key.
func Tag(key string) (part string, tagged bool) {
	if i := strings.IndexByte(key, '{'); i >= 0 {
		if n := strings.IndexByte(key[i+1:], '}'); n > 0 { // of "{}{a}" only the first pair counts
			return key[i+1 : i+1+n], true
		}
	}
	return key, false
}

// Of returns the slot of a key.
func Of(key string) Slot {
	part, _ := Tag(key)
	return Slot(CRC16(part) % Count)
}

// Shared returns the tag that all keys have in common, and whether there is one.
// Keys that already share a tag need no advice to use one.
func Shared(keys []string) (tag string, ok bool) {
	for i, key := range keys {
		t, tagged := Tag(key)
		if !tagged || i > 0 && t != tag {
			return "", false
		}
		tag = t
	}
	return strings.Clone(tag), len(keys) > 0
}
