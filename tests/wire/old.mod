// grpc-go as the programs that are there use it: it sends ":authority: unix:///...".
module slurm-operator/tests/wire

go 1.24.0

require google.golang.org/grpc v1.20.1

require (
	github.com/golang/protobuf v1.2.0 // indirect
	golang.org/x/net v0.0.0-20190311183353-d8887717615a // indirect
	golang.org/x/sys v0.0.0-20190215142949-d0b11bdaac8a // indirect
	golang.org/x/text v0.3.0 // indirect
	google.golang.org/genproto v0.0.0-20180817151627-c66870c02cf8 // indirect
)
