#!/usr/bin/env bash
# github.com/coinbase/rosetta-sdk-go v0.8.3 (mesh-sdk-go; a Go module)
# Expected: a StatefulSyncer with WithPastBlockLimit(1000), which mesh-cli sets to its option max_reorg_depth, follows a
#           reorganisation of 200 blocks.
# Seen:     it does not hand the limit on to the syncer, which remembers 100 blocks. It removes these, and then adds a block of the new
#           branch to a block of the old one, which is not its parent.
set -euo pipefail
folder=$(mktemp -d)
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
mkdir "$folder/program"
cd "$folder/program"
cat > main.go <<'GO'
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"sync/atomic"

	"github.com/coinbase/rosetta-sdk-go/fetcher"
	"github.com/coinbase/rosetta-sdk-go/statefulsyncer"
	"github.com/coinbase/rosetta-sdk-go/storage/database"
	"github.com/coinbase/rosetta-sdk-go/storage/modules"
	"github.com/coinbase/rosetta-sdk-go/types"
)

const ancestor, oldTip, newTip = 100, 300, 301

var network = &types.NetworkIdentifier{Blockchain: "Test", Network: "test"}
var reorganised atomic.Bool

func identifier(index int64) *types.BlockIdentifier {
	branch := "old"
	if index <= ancestor {
		branch = "common"
	} else if reorganised.Load() {
		branch = "new"
	}
	return &types.BlockIdentifier{Index: index, Hash: fmt.Sprintf("%s-%d", branch, index)}
}

func tip() *types.BlockIdentifier {
	if reorganised.Load() {
		return identifier(newTip)
	}
	return identifier(oldTip)
}

func block(index int64) *types.Block {
	parent := index - 1
	if index == 0 {
		parent = 0
	}
	return &types.Block{
		BlockIdentifier: identifier(index), ParentBlockIdentifier: identifier(parent), Timestamp: 1700000000000,
		Transactions: []*types.Transaction{},
	}
}

func answer(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	var body any
	switch r.URL.Path {
	case "/network/list":
		body = types.NetworkListResponse{NetworkIdentifiers: []*types.NetworkIdentifier{network}}
	case "/network/options":
		body = types.NetworkOptionsResponse{
			Version: &types.Version{RosettaVersion: "1.4.13", NodeVersion: "1"},
			Allow: &types.Allow{
				OperationStatuses: []*types.OperationStatus{{Status: "OK", Successful: true}},
				OperationTypes:    []string{"Transfer"}, Errors: []*types.Error{},
			},
		}
	case "/network/status":
		body = types.NetworkStatusResponse{
			CurrentBlockIdentifier: tip(), CurrentBlockTimestamp: 1700000000000, GenesisBlockIdentifier: identifier(0), Peers: []*types.Peer{},
		}
	case "/block":
		var request types.BlockRequest
		_ = json.NewDecoder(r.Body).Decode(&request)
		body = types.BlockResponse{Block: block(*request.BlockIdentifier.Index)}
	}
	_ = json.NewEncoder(w).Encode(body)
}

type logger struct {
	chain   []*types.BlockIdentifier
	removed int
	done    context.CancelFunc
	result  string
}

func (l *logger) AddBlockStream(_ context.Context, added *types.Block) error {
	if n := len(l.chain); n > 0 && l.chain[n-1].Hash != added.ParentBlockIdentifier.Hash {
		l.result = fmt.Sprintf("removed %d blocks, then added %s, whose parent is %s, to %s",
			l.removed, added.BlockIdentifier.Hash, added.ParentBlockIdentifier.Hash, l.chain[n-1].Hash)
		l.done()
		return nil
	}
	l.chain = append(l.chain, added.BlockIdentifier)
	if added.BlockIdentifier.Index == oldTip && !reorganised.Load() {
		reorganised.Store(true)
	}
	if added.BlockIdentifier.Index == newTip {
		l.done()
	}
	return nil
}

func (l *logger) RemoveBlockStream(context.Context, *types.BlockIdentifier) error {
	l.chain = l.chain[:len(l.chain)-1]
	l.removed++
	return nil
}

func main() {
	server := httptest.NewServer(http.HandlerFunc(answer))
	ctx, cancel := context.WithCancel(context.Background())
	f := fetcher.New(server.URL)
	if _, _, err := f.InitializeAsserter(ctx, network, ""); err != nil {
		panic(err.Err)
	}
	directory, _ := os.MkdirTemp(".", "data")
	db, err := database.NewBadgerDatabase(ctx, directory)
	if err != nil {
		panic(err)
	}
	l := &logger{done: cancel}
	s := statefulsyncer.New(ctx, network, f, modules.NewBlockStorage(db, 1), modules.NewCounterStorage(db), l, cancel,
		[]modules.BlockWorker{}, statefulsyncer.WithPastBlockLimit(1000))
	err = s.Sync(ctx, -1, -1)
	if l.result == "" {
		fmt.Println("the reorganisation was followed, or:", err)
		os.Exit(1)
	}
	fmt.Println(l.result)
}
GO
export GOFLAGS=-mod=mod GOMODCACHE="$folder/modules"
go mod init finding 2> go.log
go get github.com/coinbase/rosetta-sdk-go@v0.8.3 2>> go.log || { cat go.log; exit 1; }
go mod tidy 2>> go.log || { tail -20 go.log; exit 1; }
go run . 2> run.log || { tail -20 run.log; exit 1; }
