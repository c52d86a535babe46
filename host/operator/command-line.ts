import { parseArgs } from 'node:util';
import { CommandError, EXIT, type Exit } from './command-error';
import { COMMANDS } from './commands';
import { formatJson, formatResult } from './format-result';
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

Speaks to the database of DATABASE_URL; else to the host that runs with DATA_DIR, at HOST_PORT of this machine; else to
the embedded database in DATA_DIR itself. Exits with 0 on success, 1 on failure, 2 for incorrect usage, 3 if the subject
does not exist, 4 if there is nothing to change.
`;
}
