import type { Deps } from '#host/http/deps';
import { recordAct } from './acts.store';
import { COMMANDS } from './commands';
import { EXIT, OperatorRefusal } from './refusal';

export interface Asked {
  command: string;
  /** Empty where none is named. */
  subject: string;
  /** Empty where none is given. */
  reason: string;
  operator: string;
}

const LONGEST_REASON = 500;

/**
 * Does what an operator asks for; what changes something in one transaction with its line among the acts. Throws
 * `OperatorRefusal` where nothing is done.
 */
export async function runCommand(deps: Deps, asked: Asked): Promise<unknown> {
  const { subject, operator } = asked;
  const command = Object.hasOwn(COMMANDS, asked.command) ? COMMANDS[asked.command] : undefined;
  if (!command) throw usage(`there is no command ${asked.command}`);
  if (subject === '' && !command.isBare) throw usage(`${asked.command} wants ${command.takes}`);
  if (subject !== '' && command.takes === '') throw usage(`${asked.command} takes nothing`);
  const reason = asked.reason.trim();
  const now = deps.clock.now();
  if (!command.changes) return (await command.run({ deps, subject, reason, now })).result;
  if (reason === '') throw usage(`${asked.command} changes something: say why with --reason`);
  if (reason.length > LONGEST_REASON) throw usage(`a reason has ${LONGEST_REASON} characters at most`);
  // Acts are kept for years, and outlive the account that they are about.
  if (/\S@\S/.test(reason)) throw usage('a reason names nobody by an e-mail address');
  if (operator.trim() === '') throw usage('nobody is named who does this: say so with --as');
  return deps.db.orm.transaction(async (orm) => {
    const within = { ...deps, db: { ...deps.db, orm } };
    const done = await command.run({ deps: within, subject, reason, now });
    await recordAct(orm, {
      at: now,
      operator: operator.trim(),
      act: asked.command,
      subject: done.subject ?? subject,
      accountId: done.accountId ?? null,
      reason,
    });
    return done.result;
  });
}

function usage(message: string): OperatorRefusal {
  return new OperatorRefusal(EXIT.usage, message);
}
