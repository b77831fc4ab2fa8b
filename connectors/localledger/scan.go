package localledger

import (
	"bufio"
	"fmt"
	"io"
	"slices"
)

// contents is what a file holds.
type contents struct {
	offsets []int64 // of the entries' frames: version v is at offsets[v-1]
	last    []byte  // the newest entry
	end     int64   // where the next frame goes; beyond it is an append that was cut short
}

// damage is a place of a file that no unfinished append explains.
type damage struct {
	offset int64
	text   string
}

func (d *damage) Error() string { return fmt.Sprintf("at byte %d %s", d.offset, d.text) }

// scan reads the whole of a file that should hold the chain with that key. It fails
// with a *damage, with a *connectors.Error for a newer format, or because it cannot read.
func scan(file io.ReaderAt, size int64, key string) (contents, error) {
	s := &scanner{file: file, size: size, bytes: bufio.NewReaderSize(io.NewSectionReader(file, 0, size), 64<<10)}
	if err := s.preamble(); err != nil {
		return contents{}, err
	}
	if err := s.name(key); err != nil {
		return contents{}, err
	}
	var found contents
	for version := uint64(1); ; version++ {
		found.end = s.next
		data, whole, err := s.read(version)
		if err != nil {
			return contents{}, err
		}
		if !whole {
			if err := s.checkTail(version); err != nil {
				return contents{}, err
			}
			return found, nil
		}
		found.offsets = append(found.offsets, found.end)
		found.last = append(found.last[:0], data...)
	}
}

// scanner reads the frames of a file in turn.
type scanner struct {
	file  io.ReaderAt
	size  int64
	bytes *bufio.Reader
	next  int64  // offset of the next frame
	frame []byte // the newest one, or what there is of it
}

func (s *scanner) preamble() error {
	if s.size < int64(preambleSize) {
		return &damage{0, fmt.Sprintf("it ends after %d bytes, before it says what it is", s.size)}
	}
	if err := s.extend(preambleSize); err != nil {
		return err
	}
	s.next = int64(preambleSize)
	return checkPreamble(s.frame)
}

// name reads the first frame. A file is only there once that frame is on the disk.
func (s *scanner) name(key string) error {
	begin := s.next
	name, whole, err := s.read(0)
	switch {
	case err != nil:
		return err
	case !whole:
		return &damage{begin, "the name of its chain cannot be read"}
	case string(name) != key:
		return &damage{begin, fmt.Sprintf("it says that it holds %q, not %q", name, key)}
	}
	return nil
}

// extend reads the frame up to a length.
func (s *scanner) extend(length int) error {
	have := len(s.frame)
	s.frame = slices.Grow(s.frame, length-have)[:length]
	_, err := io.ReadFull(s.bytes, s.frame[have:])
	return err
}

// read reads the data of the next frame, which is good until the next call. It is
// not whole if it is no frame, or the file ends within it.
func (s *scanner) read(version uint64) (data []byte, whole bool, err error) {
	rest := s.size - s.next
	if rest < headSize {
		return nil, false, nil
	}
	s.frame = s.frame[:0]
	if err := s.extend(headSize); err != nil {
		return nil, false, err
	}
	head, sound := parseHead(s.frame)
	switch {
	case sound && head.version != version:
		return nil, false, &damage{s.next, fmt.Sprintf("entry %d is where entry %d should be", head.version, version)}
	case !sound, frameSize(head.length) > rest:
		return nil, false, nil
	}
	if err := s.extend(int(frameSize(head.length))); err != nil {
		return nil, false, err
	}
	data, sound = frameData(s.frame)
	if sound {
		s.next += frameSize(head.length)
	}
	return data, sound, nil
}

// checkTail makes sure that what begins at s.next is an append of that version which
// was cut short. It was the last one then: each append is on the disk before the next
// one begins, so that the head of a later frame shows that this one was whole once.
func (s *scanner) checkTail(version uint64) error {
	rest := s.size - s.next
	if rest > frameSize(maxData) {
		return &damage{s.next, fmt.Sprintf("entry %d cannot be read, and %d bytes follow, more than one entry has", version, rest)}
	}
	tail := make([]byte, rest)
	if _, err := io.ReadFull(io.NewSectionReader(s.file, s.next, rest), tail); err != nil {
		return err
	}
	most := version + uint64(rest)/headSize // no later frame has room there
	for i := 1; i+headSize <= len(tail); i++ {
		if h, sound := parseHead(tail[i:]); sound && version < h.version && h.version <= most {
			return &damage{s.next, fmt.Sprintf("entry %d cannot be read, and entry %d follows it", version, h.version)}
		}
	}
	return nil
}
