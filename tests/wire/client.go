// SPDX-License-Identifier: Apache-2.0

// A client of grpc-go against our server: the same source with an old and a current
// version of that library; by TLS on TCP when there is a folder with certificates behind
// the address. Prints one line for each thing that holds.
package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"io/ioutil"
	"os"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"
)

// Messages are bytes: no descriptor is needed for them.
type plain struct{}

func (plain) Marshal(v interface{}) ([]byte, error) { return *v.(*[]byte), nil }
func (plain) Unmarshal(data []byte, v interface{}) error {
	*v.(*[]byte) = append([]byte{}, data...)
	return nil
}
func (plain) Name() string { return "proto" }

func must(what string, err error) {
	if err != nil {
		fmt.Printf("not ok - %s: %v\n", what, err)
		os.Exit(1)
	}
}

func expect(what string, holds bool, got interface{}) {
	if !holds {
		fmt.Printf("not ok - %s: %v\n", what, got)
		os.Exit(1)
	}
	fmt.Printf("ok - %s, grpc-go %s\n", what, grpc.Version)
}

func once(ctx context.Context, c *grpc.ClientConn, method string, in []byte) ([]byte, error) {
	var out []byte
	err := c.Invoke(ctx, method, &in, &out, grpc.ForceCodec(plain{}))
	return out, err
}

func open(ctx context.Context, c *grpc.ClientConn, method string) grpc.ClientStream {
	both := &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}
	s, err := c.NewStream(ctx, both, method, grpc.ForceCodec(plain{}))
	must(method, err)
	return s
}

// All that comes until the end, and how it ends.
func drain(s grpc.ClientStream) (n int, size int, err error) {
	for {
		var out []byte
		if err = s.RecvMsg(&out); err != nil {
			return n, size, err
		}
		n++
		size += len(out)
	}
}

func unary(ctx context.Context, c *grpc.ClientConn) {
	out, err := once(ctx, c, "/test.Echo/Once", []byte("hello"))
	must("a unary call", err)
	expect("a message comes back", string(out) == "hello", out)
	big := bytes.Repeat([]byte("0123456789abcdef"), 3<<16)
	out, err = once(ctx, c, "/test.Echo/Once", big)
	must("3 MiB", err)
	expect("3 MiB come back", bytes.Equal(out, big), len(out))
	_, err = once(ctx, c, "/test.Echo/Once", make([]byte, 4<<20+1))
	expect("a message of more than 4 MiB is refused", status.Code(err) == codes.ResourceExhausted, err)
	_, err = once(ctx, c, "/test.Echo/Fail", append([]byte{5}, "no café: 100%\n"...))
	expect("a sentence arrives as it was", status.Code(err) == codes.NotFound && status.Convert(err).Message() == "no café: 100%\n", err)
	_, err = once(ctx, c, "/test.Echo/Twice", nil)
	expect("a method that is not there is named", status.Code(err) == codes.Unimplemented &&
		status.Convert(err).Message() == "unknown method Twice for service test.Echo", err)
}

func streams(ctx context.Context, c *grpc.ClientConn) {
	s := open(ctx, c, "/test.Echo/Count")
	in := bytes.Repeat([]byte("x"), 1000)
	must("sending", s.SendMsg(&in))
	n, size, err := drain(s)
	expect("a message is answered by a thousand", n == 1000 && size == 1000000 && err == io.EOF, fmt.Sprint(n, size, err))
	s = open(ctx, c, "/test.Echo/Sum")
	for i := 0; i < 1000; i++ {
		must("sending", s.SendMsg(&in))
	}
	must("ending", s.CloseSend())
	var out []byte
	must("the sum", s.RecvMsg(&out))
	expect("a thousand messages are answered by one", string(out) == "1000000", string(out))
	s = open(ctx, c, "/test.Echo/Chat")
	for i := 0; i < 100; i++ {
		must("sending", s.SendMsg(&in))
		must("receiving", s.RecvMsg(&out))
	}
	must("ending", s.CloseSend())
	_, _, err = drain(s)
	expect("both sides talk", err == io.EOF, err)
}

func ends(ctx context.Context, c *grpc.ClientConn) {
	short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	_, err := once(short, c, "/test.Echo/Hang", nil)
	expect("a deadline ends a call", status.Code(err) == codes.DeadlineExceeded, err)
	cancel()
	short, cancel = context.WithCancel(ctx)
	s := open(short, c, "/test.Echo/Flood")
	var out []byte
	for i := 0; i < 1000; i++ {
		must("receiving", s.RecvMsg(&out))
	}
	cancel()
	_, _, err = drain(s)
	expect("a stream without end is cancelled", status.Code(err) == codes.Canceled, err)
}

func many(ctx context.Context, c *grpc.ClientConn) {
	var all sync.WaitGroup
	var mutex sync.Mutex
	wrong := 0
	for i := 0; i < 500; i++ {
		all.Add(1)
		go func(text string) {
			defer all.Done()
			out, err := once(ctx, c, "/test.Echo/Once", []byte(text))
			mutex.Lock()
			defer mutex.Unlock()
			if err != nil || string(out) != text {
				wrong++
			}
		}(fmt.Sprint("number ", i))
	}
	all.Wait()
	expect("500 calls at once share a connection", wrong == 0, wrong)
}

// Of a folder with tls.crt, tls.key and ca.crt.
func credentialsOf(folder string) credentials.TransportCredentials {
	pair, err := tls.LoadX509KeyPair(folder+"/tls.crt", folder+"/tls.key")
	must("a certificate", err)
	text, err := ioutil.ReadFile(folder + "/ca.crt")
	must("an authority", err)
	authorities := x509.NewCertPool()
	authorities.AppendCertsFromPEM(text)
	return credentials.NewTLS(&tls.Config{Certificates: []tls.Certificate{pair}, RootCAs: authorities})
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	where, how := "unix://"+os.Args[1], grpc.WithInsecure()
	if len(os.Args) > 2 {
		where, how = os.Args[1], grpc.WithTransportCredentials(credentialsOf(os.Args[2]))
	}
	c, err := grpc.Dial(where, how, grpc.WithBlock(),
		grpc.WithTimeout(10*time.Second), grpc.WithDefaultCallOptions(grpc.MaxCallSendMsgSize(64<<20)))
	must("connecting", err)
	unary(ctx, c)
	streams(ctx, c)
	ends(ctx, c)
	many(ctx, c)
	must("closing", c.Close())
}
