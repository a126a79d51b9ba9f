// SPDX-License-Identifier: Apache-2.0

// A server of grpc-go for our client: the methods of tests/lib/grpc_world.h and some
// more, with an old and a current version of that library. Its argument is the path of
// its socket; with a folder of certificates behind it, TLS on a port of its own. When it
// listens it prints its name and version, and where.
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"io/ioutil"
	"net"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// Messages are bytes: no descriptor is needed for them.
type plain struct{}

func (plain) Marshal(v interface{}) ([]byte, error) { return *v.(*[]byte), nil }
func (plain) Unmarshal(data []byte, v interface{}) error {
	*v.(*[]byte) = append([]byte{}, data...)
	return nil
}
func (plain) String() string { return "proto" }

var server *grpc.Server
var gone int64 // calls that their client gave up

func receive(s grpc.ServerStream) ([]byte, error) {
	var in []byte
	err := s.RecvMsg(&in)
	return in, err
}

func send(s grpc.ServerStream, out []byte) error { return s.SendMsg(&out) }

// The one message of the client, and its end.
func only(s grpc.ServerStream) ([]byte, error) {
	in, err := receive(s)
	if err != nil {
		return nil, err
	}
	if _, err = receive(s); err != io.EOF {
		return nil, status.Errorf(codes.InvalidArgument, "one message, and the end")
	}
	return in, nil
}

func sum(s grpc.ServerStream) error {
	total := 0
	for {
		in, err := receive(s)
		if err == io.EOF {
			return send(s, []byte(strconv.Itoa(total)))
		} else if err != nil {
			return err
		}
		total += len(in)
	}
}

func chat(s grpc.ServerStream) error {
	for {
		in, err := receive(s)
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if err = send(s, in); err != nil {
			return err
		}
	}
}

// So many pieces of 64 KiB.
func pour(s grpc.ServerStream, pieces int) error {
	piece := make([]byte, 64<<10)
	for i := 0; i < pieces; i++ {
		if err := send(s, piece); err != nil {
			atomic.AddInt64(&gone, 1)
			return err
		}
	}
	return nil
}

// Whichever side sees the deadline first ends the call: this side says the same as the other. (As
// it is, ctx.Err() would be the status Unknown in grpc-go 1.20.)
func hang(ctx context.Context) error {
	<-ctx.Done()
	if ctx.Err() == context.DeadlineExceeded {
		return status.Error(codes.DeadlineExceeded, "the deadline is over")
	}
	atomic.AddInt64(&gone, 1)
	return ctx.Err()
}

// What it heard of the call, as text.
func tell(ctx context.Context) []byte {
	heard, _ := metadata.FromIncomingContext(ctx)
	deadline, limited := ctx.Deadline()
	left := time.Until(deadline).Round(10 * time.Second)
	return []byte(fmt.Sprint(heard[":authority"], heard["user-agent"], heard["content-type"], limited, left))
}

func answer(s grpc.ServerStream, method string, in []byte) error {
	switch method {
	case "Once":
		return send(s, in)
	case "Count":
		for range in {
			if err := send(s, in); err != nil {
				return err
			}
		}
		return nil
	case "Fail":
		return status.Error(codes.Code(in[0]), string(in[1:]))
	case "Hang":
		return hang(s.Context())
	case "Large":
		return send(s, make([]byte, 4<<20+1))
	case "Pour":
		pieces, _ := strconv.Atoi(string(in))
		return pour(s, pieces)
	case "Heard":
		return send(s, tell(s.Context()))
	case "Gone":
		return send(s, []byte(strconv.FormatInt(atomic.LoadInt64(&gone), 10)))
	case "Stop":
		go server.GracefulStop()
		return send(s, nil)
	}
	return status.Errorf(codes.Unimplemented, "unknown method %s", method)
}

func handle(_ interface{}, s grpc.ServerStream) error {
	path, _ := grpc.MethodFromServerStream(s)
	method := path[strings.LastIndex(path, "/")+1:]
	switch method {
	case "Sum":
		return sum(s)
	case "Chat":
		return chat(s)
	}
	in, err := only(s)
	if err != nil {
		return err
	}
	return answer(s, method, in)
}

func must(err error) {
	if err != nil {
		fmt.Println("not ok -", err)
		os.Exit(1)
	}
}

// Of a folder with box.crt, box.key and ca.crt. Each client shows a certificate.
func credentialsOf(folder string) credentials.TransportCredentials {
	pair, err := tls.LoadX509KeyPair(folder+"/box.crt", folder+"/box.key")
	must(err)
	text, err := ioutil.ReadFile(folder + "/ca.crt")
	must(err)
	authorities := x509.NewCertPool()
	authorities.AppendCertsFromPEM(text)
	return credentials.NewTLS(&tls.Config{Certificates: []tls.Certificate{pair}, ClientCAs: authorities, ClientAuth: tls.RequireAndVerifyClientCert})
}

func main() {
	options := []grpc.ServerOption{grpc.CustomCodec(plain{}), grpc.UnknownServiceHandler(handle), grpc.MaxConcurrentStreams(20)}
	network, address := "unix", os.Args[1]
	if len(os.Args) > 2 {
		network, address = "tcp", "127.0.0.1:0"
		options = append(options, grpc.Creds(credentialsOf(os.Args[2])))
	}
	listener, err := net.Listen(network, address)
	must(err)
	server = grpc.NewServer(options...)
	fmt.Printf("grpc-go %s\n%s\n", grpc.Version, listener.Addr())
	must(server.Serve(listener))
}
