import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { EXIT, notFound, refuse } from '#host/operator/command-error';
import { runCommandLine } from '#host/operator/command-line';
import { COMMANDS } from '#host/operator/commands';
import type { CommandRequest } from '#host/operator/run-command';

async function call(
  args: string[],
  perform: (requested: CommandRequest) => unknown = () => ({ done: 'yes' }),
) {
  const requested: CommandRequest[] = [];
  const said = { out: '', err: '' };
  const exit = await runCommandLine(
    args,
    async (one) => {
      requested.push(one);
      return perform(one);
    },
    {
      user: 'ada',
      out: (text) => {
        said.out += text;
      },
      err: (text) => {
        said.err += text;
      },
    },
  );
  return { exit, requested, ...said };
}

test.each([
  [['show', 'a@b.example'], { command: 'show', subject: 'a@b.example', reason: '', operator: 'ada' }],
  [['audit-log'], { command: 'audit-log', subject: '', reason: '', operator: 'ada' }],
  [
    ['block-code', 'K7M2', '--reason', 'asks for passwords'],
    { command: 'block-code', subject: 'K7M2', reason: 'asks for passwords', operator: 'ada' },
  ],
  [
    ['--as=grace', '--reason=a = b', 'block-target', 'evil.example', '--json'],
    { command: 'block-target', subject: 'evil.example', reason: 'a = b', operator: 'grace' },
  ],
  [['code', '--', '--odd'], { command: 'code', subject: '--odd', reason: '', operator: 'ada' }],
])('%j is parsed', async (args, expected) => {
  expect(await call(args)).toMatchObject({ exit: 0, requested: [expected], err: '' });
});

test.each([
  [['no-such-thing'], 'there is no command no-such-thing'],
  [['constructor'], 'there is no command constructor'],
  [['show'], 'show requires WHO'],
  [['blocked-targets', 'evil.example'], 'blocked-targets takes no argument'],
  [['show', 'Ada', 'Tester'], 'show takes one argument: put it in quotes'],
  [['block-code', 'K7M2'], 'block-code makes changes: give the reason with --reason'],
  [['block-code', 'K7M2', '--reason', '  '], 'block-code makes changes: give the reason with --reason'],
  [['block-code', 'K7M2', '--reason'], expect.stringContaining('--reason')],
  [['block-code', 'K7M2', '--reason', 'x'.repeat(501)], 'a reason may have at most 500 characters'],
  [['block-code', 'K7M2', '--reason', 'ask a@b.example'], 'a reason must not contain an e-mail address'],
  [['block-code', 'K7M2', '--reason', 'why', '--as', ' '], 'no operator is named: use --as'],
  [['audit-log', '--force'], expect.stringContaining('--force')],
])('%j is refused before anything is opened', async (args, message) => {
  const { exit, requested, out, err } = await call(args);
  expect({ exit, requested, out, err: err.trimEnd() }).toEqual({
    exit: 2,
    requested: [],
    out: '',
    err: message,
  });
});

test.each([[[]], [['help']], [['--help']], [['-h']], [['erase', '--help']]])(
  '%j lists every command and opens nothing',
  async (args) => {
    const { exit, requested, out, err } = await call(args);
    expect({ exit, requested, err }).toEqual({ exit: 0, requested: [], err: '' });
    for (const [name, { help, changes }] of Object.entries(COMMANDS)) {
      const line = out.split('\n').find((one) => one.startsWith(`  ${name} `)) ?? '';
      expect(line).toContain(help);
      expect(line.includes('--reason TEXT')).toBe(changes === true);
    }
  },
);

test('the exit code tells success, failure, unknown and refused apart; with --json the output does too', async () => {
  const outcomes: [exit: number, message: string, perform: () => unknown][] = [
    [EXIT.failed, 'the database is away', () => Promise.reject(new Error('the database is away'))],
    [EXIT.notFound, 'there is no code K7M2', () => notFound('there is no code K7M2')],
    [EXIT.refused, 'K7M2 is already blocked', () => refuse('K7M2 is already blocked')],
  ];
  for (const [exit, error, perform] of outcomes) {
    expect(await call(['code', 'K7M2'], perform)).toMatchObject({ exit, out: '', err: `${error}\n` });
    const { out } = await call(['code', 'K7M2', '--json'], perform);
    expect(JSON.parse(out)).toEqual({ error, exit });
  }
  expect(await call(['code', 'K7M2'])).toMatchObject({ exit: 0, out: 'done: yes\n' });
  expect(JSON.parse((await call(['code', 'K7M2', '--json'])).out)).toEqual({ done: 'yes' });
});

test('text typed by strangers is printed without control and bidi characters', async () => {
  const message = 'a\u001b[2Jb\u009b2Jc\u202ed\u007fe';
  const shown = await call(['tickets'], () => [{ message }]);
  expect(shown.out).toBe('- message: a [2Jb 2Jc d e\n');
  const asJson = await call(['tickets', '--json'], () => [{ message }]);
  expect(asJson.out.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
  expect(JSON.parse(asJson.out)).toEqual([{ message }]);
});

test('the program exits with that code', async () => {
  const run = promisify(execFile)('npx', ['tsx', 'host/operator-command.ts', 'block-code', 'K7M2']);
  await expect(run).rejects.toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('give the reason with --reason'),
  });
}, 60_000);
