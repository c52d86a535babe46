import { expect, test } from 'vitest';
import { openGateway } from '#host/gateway/open-gateway';

test('a publicly reachable gateway does not open with default settings of the programs behind it', async () => {
  const settings = { NODE_ENV: 'test', PUBLIC_URL: 'https://quadrille.example', PORT: '0' } as const;
  await expect(openGateway(settings, 1, ['host', 'website'])).rejects.toThrow(
    /SANDBOX[\s\S]*OPEN_MAILBOX[\s\S]*JWT_SECRET[\s\S]*SESSION_SECRET/,
  );
});
