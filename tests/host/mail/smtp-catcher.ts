import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

interface CaughtMail {
  recipients: string[];
  /** Unfolded header lines by lower-case name. */
  headers: Record<string, string>;
  /** The whole message as received. */
  raw: string;
}

/**
 * A real SMTP server on loopback. `refuse` makes it reject mails with a temporary failure (RFC 5321, 451) that names
 * the recipient; addresses at `gone.example` are rejected permanently (550).
 */
export async function startSmtpCatcher() {
  const caught: CaughtMail[] = [];
  const state = { refuse: false };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: ({ address }, _session, answer) => {
      if (!address.endsWith('@gone.example')) return answer();
      answer(Object.assign(new Error(`5.1.1 <${address}>: no such user`), { responseCode: 550 }));
    },
    onData: (stream, session, answer) => {
      text(stream).then((raw) => {
        const recipients = session.envelope.rcptTo.map(({ address }) => address);
        if (state.refuse) {
          const refusal = new Error(`4.7.1 <${recipients.join()}>: try again later`);
          return answer(Object.assign(refusal, { responseCode: 451 }));
        }
        caught.push({ recipients, headers: headersOf(raw), raw });
        answer();
      }, answer);
    },
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    caught,
    refuse: (yes: boolean) => {
      state.refuse = yes;
    },
    close: () => new Promise<void>((closed) => server.close(closed)),
  };
}

function headersOf(raw: string): Record<string, string> {
  const [head = ''] = raw.split('\r\n\r\n');
  const lines = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n');
  return Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
}
