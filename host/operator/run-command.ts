import { addAuditEntry } from '#host/accounts/audit-log';
import type { Deps } from '#host/http/deps';
import { CommandError, EXIT } from './command-error';
import { COMMANDS, type Command } from './commands';

export interface CommandRequest {
  command: string;
  /** Empty if none is named. */
  subject: string;
  /** Empty if none is given. */
  reason: string;
  operator: string;
}

const MAX_REASON_CHARS = 500;

/** Runs a command; one that changes something in a transaction with its audit log entry. Throws `CommandError`. */
export async function runCommand(deps: Deps, request: CommandRequest): Promise<unknown> {
  const { subject, operator } = request;
  const command = requireCommand(request);
  const reason = request.reason.trim();
  const now = deps.clock.now();
  if (!command.changes) return (await command.run({ deps, subject, reason, now })).result;
  return deps.db.orm.transaction(async (orm) => {
    const transactionDeps = { ...deps, db: { ...deps.db, orm } };
    const outcome = await command.run({ deps: transactionDeps, subject, reason, now });
    await addAuditEntry(orm, {
      at: now,
      operator: operator.trim(),
      act: request.command,
      subject: outcome.subject ?? subject,
      accountId: outcome.accountId ?? null,
      reason,
    });
    return outcome.result;
  });
}

/** The requested command; throws `CommandError` if it is called incorrectly. */
export function requireCommand({
  command: name,
  subject,
  reason: entered,
  operator,
}: CommandRequest): Command {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) throw usage(`there is no command ${name}`);
  if (subject === '' && !command.isOptional) throw usage(`${name} requires ${command.takes}`);
  if (subject !== '' && command.takes === '') throw usage(`${name} takes no argument`);
  if (!command.changes) return command;
  const reason = entered.trim();
  if (reason === '') throw usage(`${name} makes changes: give the reason with --reason`);
  if (reason.length > MAX_REASON_CHARS)
    throw usage(`a reason may have at most ${MAX_REASON_CHARS} characters`);
  // The audit log is kept for years and outlives the accounts in it.
  if (/\S@\S/.test(reason)) throw usage('a reason must not contain an e-mail address');
  if (operator.trim() === '') throw usage('no operator is named: use --as');
  return command;
}

function usage(message: string): CommandError {
  return new CommandError(EXIT.usage, message);
}
