import { parseArgs } from 'node:util';
import { CommandError, EXIT, type Exit } from './command-error';
import { COMMANDS } from './commands';
import { type CommandRequest, requireCommand } from './run-command';

interface Terminal {
  /** The operating system's user: the operator unless `--as` names another. */
  user: string;
  out(text: string): void;
  err(text: string): void;
}

/**
 * Runs `npm run operator -- …`; incorrect arguments are refused before `perform` opens anything. Returns the exit code.
 */
export async function runCommandLine(
  args: string[],
  perform: (request: CommandRequest) => Promise<unknown>,
  { user, out, err }: Terminal,
): Promise<Exit> {
  const isJson = args.includes('--json');
  try {
    const request = readArguments(args, user);
    if (request === null) {
      out(helpText());
      return EXIT.done;
    }
    requireCommand(request);
    const result = await perform(request);
    out(isJson ? formatJson(result) : formatResult(result));
    return EXIT.done;
  } catch (error) {
    const exit = error instanceof CommandError ? error.exit : EXIT.failed;
    const message = error instanceof Error ? error.message : String(error);
    if (isJson) out(`${JSON.stringify({ error: message, exit })}\n`);
    err(`${message}\n`);
    return exit;
  }
}

/** Null if help was requested. */
function readArguments(args: string[], user: string): CommandRequest | null {
  const options = {
    reason: { type: 'string', default: '' },
    as: { type: 'string', default: user },
    json: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  } as const;
  const parse = () => {
    try {
      return parseArgs({ args, options, allowPositionals: true });
    } catch (error) {
      throw new CommandError(EXIT.usage, (error as Error).message);
    }
  };
  const { values, positionals } = parse();
  const [command, subject = '', ...extra] = positionals;
  if (values.help || command === undefined || command === 'help') return null;
  if (extra.length > 0) throw new CommandError(EXIT.usage, `${command} takes one argument: put it in quotes`);
  return { command, subject, reason: values.reason, operator: values.as };
}

function helpText(): string {
  const listed = Object.entries(COMMANDS).map(([name, { takes, help, changes }]) => {
    const usage = `${name} ${takes}${changes ? ' --reason TEXT' : ''}`;
    return `  ${usage.trim().padEnd(42)}${help}`;
  });
  return `npm run operator -- COMMAND …

${listed.join('\n')}

  --reason TEXT   why; required for changes, kept in the audit log, and without e-mail addresses
  --as NAME       who does it, if not the user of the operating system
  --json          prints JSON

Works on the database of DATABASE_URL, or else on the embedded one in DATA_DIR, whether or not a host is running. Exits
with 0 on success, 1 on failure, 2 for incorrect usage, 3 if the subject
does not exist, 4 if there is nothing to change.
`;
}

const UNSAFE = /[\p{Cc}\p{Bidi_Control}]+/gu;
/** Line breaks and indentation are part of JSON; `JSON.stringify` escapes the other C0 controls in strings. */
const UNSAFE_IN_JSON = /[\x7f-\x9f\p{Bidi_Control}]/gu;

/** A human-readable result: indented names and values, and lists with one item a line. */
function formatResult(result: unknown): string {
  if (Array.isArray(result) && result.length === 0) return 'none\n';
  return `${formatLines(result, 0).join('\n')}\n`;
}

function formatLines(value: unknown, depth: number): string[] {
  const indent = '  '.repeat(depth);
  if (Array.isArray(value)) {
    return value.flatMap((item) => {
      const [first = '', ...rest] = formatLines(item, depth + 1);
      return [`${indent}- ${first.trimStart()}`, ...rest];
    });
  }
  if (!isObject(value)) return [`${indent}${formatScalar(value)}`];
  return Object.entries(value).flatMap(([name, entry]) => {
    if (Array.isArray(entry) && entry.length === 0) return [`${indent}${name}: none`];
    if (Array.isArray(entry) || isObject(entry))
      return [`${indent}${name}:`, ...formatLines(entry, depth + 1)];
    return [`${indent}${name}: ${formatScalar(entry)}`];
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !(value instanceof Date);
}

/** The result as JSON, with the characters escaped that could control the terminal. */
function formatJson(result: unknown): string {
  const json = JSON.stringify(result, null, 2).replace(
    UNSAFE_IN_JSON,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `${json}\n`;
}

/** Without control characters: strangers' input could otherwise control the terminal, or appear in another order. */
function formatScalar(value: unknown): string {
  if (value === null || value === '') return '–';
  if (value instanceof Date) return value.toISOString();
  return String(value).replace(UNSAFE, ' ');
}
