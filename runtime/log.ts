import pino, { type Logger } from 'pino';

/** JSON lines on standard output; anything that could contain a secret is redacted. */
export function createLog(name: string, level: string): Logger {
  return pino({
    name,
    level,
    serializers: { err: describeError },
    redact: { paths: ['*.password', '*.token', '*.authorization', '*.cookie'], remove: true },
  });
}

/** The message of a failed query contains its parameters, such as e-mail addresses and hashes: cuts them out. */
function describeError(error: Error) {
  const { type, message, stack, ...rest } = pino.stdSerializers.err(error);
  const cause = error.cause instanceof Error ? error.cause.message : undefined;
  return {
    type,
    message: withoutParameters(message),
    stack: withoutParameters(stack),
    code: rest.code,
    cause,
  };
}

function withoutParameters(text: string): string {
  return text.replace(/(?:\n|; )?params: [\s\S]*?(?=\n {4}at |$)/g, '\nparams: (left out)');
}

/** Logs errors that may come in their thousands: the first at once, then one line in ten seconds that counts the others. */
export interface RepeatedError {
  /** Counts one, or `amount` of whatever it is that the line counts. */
  add(fields: object, amount?: number): void;
  /** Logs what was counted since the last line, if anything. */
  flush(): void;
}

const REPEAT_MS = 10_000;

/** `counted` is the name of the field with the number of errors since the last line. */
export function createRepeatedError(log: Logger, message: string, counted = 'failures'): RepeatedError {
  let count = 0;
  let last = {};
  let loggedAt = Number.NEGATIVE_INFINITY;

  function flush(): void {
    if (count === 0) return;
    log.error({ ...last, [counted]: count }, message);
    loggedAt = performance.now();
    count = 0;
  }

  return {
    add(fields, amount = 1) {
      count += amount;
      last = fields;
      if (performance.now() - loggedAt >= REPEAT_MS) flush();
    },
    flush,
  };
}
