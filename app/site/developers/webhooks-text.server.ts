import { WEBHOOK_MESSAGES } from '#contract/webhook-messages';
import type { ExampleRequest } from './examples';
import type { Block } from './sections';

/** Where an example has the secret from; we ourselves read the environment elsewhere. */
const SECRET = ['process', 'env', 'WEBHOOK_SECRET'].join('.');

export const MAKE_WEBHOOK: ExampleRequest = {
  method: 'POST',
  path: '/api/v1/webhooks',
  body: { url: 'https://example.com/hooks', events: ['code.created', 'visits.hourly'] },
};

const DETAILS: Record<string, string> = {
  'code.updated': 'changed: names of fields',
  'code.milestone': 'milestone: the number',
  'code.destination_failed': 'code.destination says how',
  'visits.hourly': 'hour: when it began; visits, scans, clicks',
  test: 'webhook: with its id',
};

const EVENTS: Block = {
  caption: 'Events',
  columns: ['Event', 'When it is sent', 'In data besides code'],
  rows: Object.entries(WEBHOOK_MESSAGES).map(([type, { when }]) => [type, when, DETAILS[type] ?? '']),
};

const TYPE_SCRIPT = `import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';

const webhook = new Webhook(${SECRET} ?? '');

createServer(async (request, response) => {
  let body = '';
  for await (const part of request.setEncoding('utf8')) body += part;
  try {
    const message = webhook.verify(body, request.headers as Record<string, string>);
    console.log(message);
    response.writeHead(204).end();
  } catch {
    response.writeHead(401).end();
  }
}).listen(8080);`;

const PYTHON = `import base64, hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, HTTPServer

key = base64.b64decode(os.environ['WEBHOOK_SECRET'].removeprefix('whsec_'))

def verify(headers, body):
    name, sent = headers.get('webhook-id', ''), headers.get('webhook-timestamp', '0')
    if abs(time.time() - int(sent)) > 300:
        raise ValueError('sent at another time')
    digest = hmac.new(key, f'{name}.{sent}.'.encode() + body, hashlib.sha256).digest()
    expected = b'v1,' + base64.b64encode(digest)
    signatures = headers.get('webhook-signature', '').encode().split()
    if not any(hmac.compare_digest(one, expected) for one in signatures):
        raise ValueError('not signed with this secret')
    return json.loads(body)

class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers['content-length']))
        try:
            print(verify(self.headers, body), flush=True)
            self.send_response(204)
        except ValueError:
            self.send_response(401)
        self.end_headers()

HTTPServer(('', 8080), Receiver).serve_forever()`;

const SHELL = `# body.json has the body, and the environment the three headers, as they came.
key=$(printf '%s' "\${WEBHOOK_SECRET#whsec_}" | base64 -d | od -An -v -tx1 | tr -d ' \\n')
expected=$({ printf '%s.%s.' "$WEBHOOK_ID" "$WEBHOOK_TIMESTAMP"; cat body.json; } |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | base64)
case " $WEBHOOK_SIGNATURE " in
  *" v1,$expected "*) echo 'signed with this secret' ;;
  *) echo 'not signed with this secret' >&2; exit 1 ;;
esac`;

/** How programs are told of events; `make` is how one is made by a call. */
export function webhooksText(make: Block[]): Block[] {
  return [
    {
      text: 'A webhook has us tell your program instead of your program asking us. Add one in [Settings, Webhooks](/user/settings/webhooks), or with a key:',
    },
    ...make,
    {
      text: 'Each message is a POST with JSON: `{"type":"code.created","timestamp":"…","data":{"code":{…}}}`. `timestamp` says when it happened, `code` is the code at that moment, with the fields of [the reference](/developers/reference#readCode).',
    },
    EVENTS,
    {
      text: 'Messages follow [Standard Webhooks](https://www.standardwebhooks.com): `webhook-id` is the same each time a message is sent, so ignore ids that you have seen; `webhook-signature` has one signature for each secret, two for a day after you made a new one. Verify the body as it came, before you parse it. Libraries exist for many languages: the first program uses one, the others need none.',
    },
    { name: 'Receive and verify, in TypeScript', language: 'ts', code: TYPE_SCRIPT },
    { name: 'Receive and verify, in Python', language: 'python', code: PYTHON },
    { name: 'Verify, with openssl', language: 'sh', code: SHELL },
    {
      text: 'Answer within 15 seconds with a status from 200 to 299, and do slow work afterwards. Any other answer, or none, is tried again after 5 seconds, 5 minutes, 30 minutes, and 2, 5, 10, 14, 20 and 24 hours; then the webhook is switched off and you get a mail. `Retry-After` is respected, 410 switches the webhook off at once, redirects are not followed. Messages about one code come in order: later ones wait for one that is not accepted yet.',
    },
  ];
}
