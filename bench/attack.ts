import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Attack } from './attack-load';
import { engines } from './engines';
import { hostProgram, start, stop } from './programs';
import type { Loaded } from './redirect-load';
import { CONNECTIONS, median, runLoad, seed } from './redirects';
import type { Row } from './row';

const ROUNDS = 5;
const ROUND_SECONDS = 3;

