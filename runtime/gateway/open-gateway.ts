import { z } from 'zod';
import { createProxyCheck } from '#runtime/client-address';
import { readInternalKeys } from '#runtime/internal-key';
import { createLog } from '#runtime/log';
import { readSessionSecrets } from '#runtime/session-cookies';
import {
  AddressSetting,
  DrainSetting,
  findUnpairedSettings,
  findUnsafeSettings,
  HeaderSetting,
  HstsSubdomainsSetting,
  LogLevelSetting,
  type Program,
  ProxiesSetting,
  readSettings,
  SecretsSetting,
} from '#runtime/settings';
import { type Gateway, startGateway } from './gateway';

const port = (defaultPort: number) => z.coerce.number().int().min(0).max(65_535).default(defaultPort);

/** The gateway's own settings, and those of both programs that it needs. */
export const GatewaySettings = z.object({
  APP_NAME: z.string().default('Quadrille'),
  PUBLIC_URL: AddressSetting.default('http://localhost:3000'),
  SHORT_URL: AddressSetting.optional(),
  PORT: port(3000),
  GATEWAY_ADDRESS: z.string().optional(),
  HOST_URL: AddressSetting.optional(),
  HOST_PORT: port(4000),
  TRUST_PROXY: HeaderSetting,
  TRUSTED_PROXIES: ProxiesSetting,
  COUNTRY_HEADER: HeaderSetting,
  DRAIN_SECONDS: DrainSetting,
  DATA_DIR: z.string().default('./data'),
  INTERNAL_SECRET: SecretsSetting.optional(),
  SESSION_SECRET: SecretsSetting.optional(),
  HSTS_SUBDOMAINS: HstsSubdomainsSetting,
  LOG_LEVEL: LogLevelSetting,
});

/**
 * Opens the gateway with the settings in `environment`, in front of the website on `websitePort` of loopback. Rejects
 * with a list of all insecure or incomplete settings of the `programs` that are started with it.
 */
export async function openGateway(
  environment: NodeJS.ProcessEnv,
  websitePort: number,
  programs: readonly Program[],
): Promise<Gateway & { drainMs: number }> {
  const settings = readSettings(GatewaySettings, environment, [
    ...findUnsafeSettings(environment, programs),
    ...findUnpairedSettings(environment, programs),
  ]);
  const gateway = await startGateway({
    port: settings.PORT,
    // Beside a proxy on this machine nobody else needs the port, which has no TLS.
    address: settings.GATEWAY_ADDRESS ?? (settings.TRUST_PROXY === null ? undefined : '127.0.0.1'),
    websiteUrl: `http://127.0.0.1:${websitePort}`,
    hostUrl: settings.HOST_URL ?? `http://127.0.0.1:${settings.HOST_PORT}`,
    isProxy: createProxyCheck(settings.TRUSTED_PROXIES),
    trustProxy: settings.TRUST_PROXY,
    countryHeader: settings.COUNTRY_HEADER,
    appName: settings.APP_NAME,
    addresses: [settings.PUBLIC_URL],
    shortUrl: settings.SHORT_URL,
    internalKeys: readInternalKeys(settings),
    sessionSecrets: readSessionSecrets(settings),
    hstsSubdomains: settings.HSTS_SUBDOMAINS,
    log: createLog('gateway', settings.LOG_LEVEL),
  });
  return { ...gateway, drainMs: settings.DRAIN_SECONDS * 1_000 };
}
