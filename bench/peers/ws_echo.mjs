// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The peer of websocket_bench: `ws` as in its documentation, without compression. /echo answers each
// message; a message on /publish is sent to every connection on /fan.
import { WebSocketServer } from 'ws';

const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
const subscribers = new Set();

server.on('connection', (socket, request) => {
  if (request.url === '/fan') {
    subscribers.add(socket);
    socket.on('close', () => subscribers.delete(socket));
    return;
  }
  if (request.url === '/publish') {
    socket.on('message', (data, isBinary) => {
      for (const subscriber of subscribers) subscriber.send(data, { binary: isBinary });
    });
    return;
  }
  socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
});
server.on('listening', () => console.log(server.address().port));
