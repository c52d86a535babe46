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
