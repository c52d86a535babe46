import { fork } from 'node:child_process';
import { resolve } from 'node:path';
import type { Logger } from 'pino';
import { ApiError, invalidField } from '#host/http/errors';
import type { draw } from './svg-drawing-process.mjs';

type Answer = Awaited<ReturnType<typeof draw>> | 'logo_too_complex' | { broken: string };
type Task = { svg: Uint8Array; edge: number; pixelLimit: number };

const PROGRAM = resolve('host/codes/svg-drawing-process.mjs');

/** Ordinary logos take some hundredths of a second. */
const DRAW_MS = 2_000;
const START_MS = 5_000;
const WAIT_MS = 1_200;
const AT_ONCE = 2;
/** Of what a process that draws complains of, as much as tells why it ended. */
const COMPLAINT_CHARS = 2_000;

let drawing = 0;
const waiting = new Set<() => void>();

/**
 * Draws an SVG as a PNG whose longer side has `edge` pixels. What a drawing costs cannot be told from its size, and a
 * thread that draws cannot be stopped: hence a process of its own, with little time. Refuses the field `logo` with
 * `logo_broken`, `logo_too_many_pixels` or `logo_too_complex`, of which the log says what the code does not; throws
 * `unavailable` when too many are drawn already.
 */
export async function drawSvg(
  svg: Uint8Array,
  edge: number,
  pixelLimit: number,
  log: Logger,
): Promise<Uint8Array> {
  await takeTurn();
  try {
    const answer = await drawInProcess({ svg, edge, pixelLimit }, log);
    if (typeof answer === 'string') throw invalidField('logo', answer);
    if ('broken' in answer) {
      log.warn({ reason: answer.broken }, 'a logo could not be drawn');
      throw invalidField('logo', 'logo_broken');
    }
    return answer;
  } finally {
    const [next] = waiting;
    if (next) next();
    else drawing -= 1;
  }
}

/** Waits until fewer than two are drawn; whoever is done hands the turn on. */
async function takeTurn(): Promise<void> {
  if (drawing < AT_ONCE) {
    drawing += 1;
    return;
  }
  await new Promise<void>((go, reject) => {
    const begin = () => {
      clearTimeout(timer);
      waiting.delete(begin);
      go();
    };
    const timer = setTimeout(() => {
      waiting.delete(begin);
      reject(new ApiError('unavailable', { retryAfterSeconds: 5 }));
    }, WAIT_MS);
    waiting.add(begin);
  });
}

/** A process that ends without an answer ran out of time or memory. */
async function drawInProcess(task: Task, log: Logger): Promise<Answer> {
  // Without this program's secrets: what is drawn comes from anyone.
  const child = fork(PROGRAM, [], {
    serialization: 'advanced',
    execArgv: [],
    env: { NODE_ENV: 'production' },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let complaint = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(0, COMPLAINT_CHARS);
  });
  const stop = () => child.kill('SIGKILL');
  let timer = setTimeout(stop, START_MS);
  try {
    return await new Promise<Answer>((answered, reject) => {
      child.on('error', reject);
      child.once('close', () => {
        reject(new Error('the process that draws did not start', { cause: new Error(complaint) }));
      });
      child.once('message', () => {
        child.removeAllListeners('close');
        child.once('close', (code, signal) => {
          log.warn({ code, signal, complaint }, 'a logo was given up: too much time or memory');
          answered('logo_too_complex');
        });
        child.once('message', (answer) => {
          child.removeAllListeners('close');
          answered(answer as Answer);
        });
        clearTimeout(timer);
        timer = setTimeout(stop, DRAW_MS);
        child.send(task);
      });
    });
  } finally {
    clearTimeout(timer);
    stop();
  }
}
