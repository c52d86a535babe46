import { connect } from 'node:net';

export interface Load {
  port: number;
  connections: number;
  seconds: number;
  /** Complete requests as sent over the wire. */
  requests: string[];
}

export interface Loaded {
  answered: number;
  /** Responses other than 302. */
  others: number;
  perSecond: number;
  p50: number;
  p99: number;
}

process.once('message', (load: Load) => {
  run(load).then((loaded) => process.send?.(loaded, () => process.disconnect()));
});

/** Keep-alive connections on raw sockets, each sending its next request once the last one is answered. */
async function run({ port, connections, seconds, requests }: Load): Promise<Loaded> {
  const wires = requests.map((request) => Buffer.from(request));
  const latencies: number[] = [];
  let sent = 0;
  let others = 0;
  const started = performance.now();
  const until = started + seconds * 1000;

  function visitor(done: () => void): void {
    const socket = connect(port, '127.0.0.1').setNoDelay(true);
    let sentAt = 0;
    const send = () => {
      sentAt = performance.now();
      if (sentAt > until) return socket.end();
      socket.write(wires[sent++ % wires.length] ?? '');
    };
    socket.on('connect', send).on('close', done);
    socket.on('data', (answer) => {
      // The responses have no body, so the empty line after the headers ends them.
      if (answer.subarray(-4).toString('latin1') !== '\r\n\r\n') return;
      latencies.push(performance.now() - sentAt);
      if (answer.subarray(9, 12).toString('latin1') !== '302') others += 1;
      send();
    });
  }

  await Promise.all(Array.from({ length: connections }, () => new Promise<void>(visitor)));
  const elapsed = (performance.now() - started) / 1000;
  const sorted = Float64Array.from(latencies).sort();
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0;
  const answered = latencies.length - others;
  return { answered, others, perSecond: answered / elapsed, p50: at(0.5), p99: at(0.99) };
}
