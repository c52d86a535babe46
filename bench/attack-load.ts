import { connect } from 'node:net';

const PATH = '/api/login_check';
const NESTED = Buffer.alloc(2_800_000, '[');
const CONCURRENT_POSTS = 10;
const PAUSE_MS = 250;
const SLOW_BODIES = 50;
const DRIBBLE_MS = 200;

process.once('message', ({ port }: { port: number }) => {
  repeatWaves(port);
  for (let n = 0; n < SLOW_BODIES; n += 1) dribble(port);
  process.send?.('begun');
});

/** Posts ten huge bodies concurrently, and again once all have a response, at most every 250 ms. */
async function repeatWaves(port: number): Promise<never> {
  for (;;) {
    const pause = new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    await Promise.all(Array.from({ length: CONCURRENT_POSTS }, () => post(port)));
    await pause;
  }
}

function post(port: number): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.write(headOf(NESTED.length));
    socket.write(NESTED);
    socket.once('data', () => socket.destroy());
    socket.on('error', () => undefined).once('close', () => resolve());
  });
}

/** Sends a body one byte at a time, and starts over when the host closes the connection. */
function dribble(port: number): void {
  const socket = connect(port, '127.0.0.1');
  socket.write(headOf(60_000));
  const timer = setInterval(() => socket.write('['), DRIBBLE_MS);
  socket
    .on('error', () => undefined)
    .once('close', () => {
      clearInterval(timer);
      dribble(port);
    });
  socket.resume();
}

function headOf(length: number): string {
  return `POST ${PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
}
