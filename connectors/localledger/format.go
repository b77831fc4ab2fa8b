package localledger

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/flowlang/flow/connectors"
)

// A file is a preamble and frames, all integers little-endian:
//
//	preamble  magic, format uint32
//	frame     length uint32, version uint64, CRC-32C of these 12 bytes,
//	          data, CRC-32C of all of the frame before it
//
// The frame of version 0 holds the chain's key, so that a file under another
// chain's name is found out. The frames of versions 1, 2, 3... are the entries. The
// checksum of its own lets a frame's head be found where the data before it is broken.
const (
	magic        = "flow.ledger\n"
	format       = 1
	preambleSize = len(magic) + 4

	headSize = 16
	sumSize  = 4
	// maxData bounds an entry, and with it what a damaged file can make us allocate.
	maxData = 64 << 20
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func sum(data []byte) uint32 { return crc32.Checksum(data, castagnoli) }

// preamble is what a file begins with.
func preamble() []byte {
	return binary.LittleEndian.AppendUint32([]byte(magic), format)
}

// checkPreamble says why a file that begins so cannot be read.
func checkPreamble(found []byte) error {
	if string(found[:len(magic)]) != magic {
		return &damage{0, "it does not begin as a ledger's file does"}
	}
	version := binary.LittleEndian.Uint32(found[len(magic):])
	if version > format {
		return connectors.Errorf(connectors.Environment, "it has format %d, and this flowc knows up to %d", version, format).
			WithHelp("update flowc; nothing was changed")
	}
	if version == 0 {
		return &damage{int64(len(magic)), "it has format 0, which there is not"}
	}
	return nil
}

// appendFrame appends a frame.
func appendFrame(to []byte, version uint64, data []byte) []byte {
	begin := len(to)
	to = binary.LittleEndian.AppendUint32(to, uint32(len(data)))
	to = binary.LittleEndian.AppendUint64(to, version)
	to = binary.LittleEndian.AppendUint32(to, sum(to[begin:]))
	to = append(to, data...)
	return binary.LittleEndian.AppendUint32(to, sum(to[begin:]))
}

func frameSize(length int) int64 { return headSize + int64(length) + sumSize }

// head is what stands before a frame's data.
type head struct {
	length  int
	version uint64
}

// parseHead reads the first headSize bytes of a frame, if they are sound.
func parseHead(b []byte) (head, bool) {
	length := binary.LittleEndian.Uint32(b)
	if length > maxData || binary.LittleEndian.Uint32(b[12:]) != sum(b[:12]) {
		return head{}, false
	}
	return head{length: int(length), version: binary.LittleEndian.Uint64(b[4:])}, true
}

// frameData is the data of a whole frame, if it is sound.
func frameData(frame []byte) ([]byte, bool) {
	end := len(frame) - sumSize
	return frame[headSize:end], binary.LittleEndian.Uint32(frame[end:]) == sum(frame[:end])
}
