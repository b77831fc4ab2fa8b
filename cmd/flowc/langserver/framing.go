package langserver

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
	"strings"
)

const (
	// maxMessage leaves room for the largest document with most characters escaped.
	maxMessage = 8 * maxDocument
	maxHeaders = 4 << 10 // bytes of all headers of one message
)

// errTooLarge says that a message was skipped; the next one can be read.
var errTooLarge = fmt.Errorf("the message is larger than %d bytes", maxMessage)

// readMessage reads one message with its headers. After errTooLarge reading may
// go on; after any other error it is not known where the next message begins.
// The error is io.EOF if the input ends between messages.
func readMessage(in *bufio.Reader) ([]byte, error) {
	length, err := readHeaders(in)
	if err != nil {
		return nil, err
	}
	if length > maxMessage {
		if _, err := io.CopyN(io.Discard, in, length); err != nil {
			return nil, fmt.Errorf("skipping a message of %d bytes: %w", length, err)
		}
		return nil, errTooLarge
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(in, body); err != nil {
		return nil, fmt.Errorf("reading a message of %d bytes: %w", length, err)
	}
	return body, nil
}

// readHeaders returns the length of the body that follows.
func readHeaders(in *bufio.Reader) (int64, error) {
	length, found := int64(0), false
	for read := 0; ; {
		line, err := in.ReadSlice('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 && read == 0 {
			return 0, io.EOF
		}
		if err != nil {
			return 0, fmt.Errorf("reading a header: %w", err)
		}
		if read += len(line); read > maxHeaders {
			return 0, fmt.Errorf("expected headers of at most %d bytes", maxHeaders)
		}
		text := strings.TrimRight(string(line), "\r\n")
		if text == "" {
			break
		}
		name, value, ok := strings.Cut(text, ":")
		if !ok {
			return 0, fmt.Errorf("expected a header `Name: value`, found %q", text)
		}
		if textproto.CanonicalMIMEHeaderKey(name) != "Content-Length" {
			continue
		}
		length, err = strconv.ParseInt(strings.TrimSpace(value), 10, 64)
		if err != nil || length < 0 {
			return 0, fmt.Errorf("expected a length in bytes as Content-Length, found %q", value)
		}
		found = true
	}
	if !found {
		return 0, errors.New("expected a header Content-Length before the message")
	}
	return length, nil
}

func writeMessage(out io.Writer, message any) error {
	body, err := json.Marshal(message)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "Content-Length: %d\r\n\r\n%s", len(body), body)
	return err
}
