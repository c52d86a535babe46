import { z } from 'zod';
import { readInternalKeys } from '#contract/internal-key';
import {
  AddressSetting,
  DrainSetting,
  findUnsafeSettings,
  HeaderSetting,
  HstsSubdomainsSetting,
  LogLevelSetting,
  type Program,
  readSettings,
  SecretsSetting,
} from '#contract/settings';
import { createLog } from '#host/http/log';
import { type Gateway, startGateway } from './gateway';

const port = (defaultPort: number) => z.coerce.number().int().min(0).max(65_535).default(defaultPort);

/** The settings of both programs that the gateway needs. */
const GatewaySettings = z.object({
  APP_NAME: z.string().default('Quadrille'),
  PUBLIC_URL: AddressSetting.default('http://localhost:3000'),
  SHORT_URL: AddressSetting.optional(),
  PORT: port(3000),
  /** Address to bind; all by default, like remix-serve. */
  HOST: z.string().optional(),
  HOST_URL: AddressSetting.optional(),
  HOST_PORT: port(4000),
  TRUST_PROXY: HeaderSetting,
  COUNTRY_HEADER: HeaderSetting,
  DRAIN_SECONDS: DrainSetting,
  DATA_DIR: z.string().default('./data'),
  INTERNAL_SECRET: SecretsSetting.optional(),
  HSTS_SUBDOMAINS: HstsSubdomainsSetting,
  LOG_LEVEL: LogLevelSetting,
});

/**
 * Opens the gateway with the settings in `environment`, in front of the website on `websitePort` of loopback. Rejects
 * with a list of all insecure settings of the `programs` that are started with it.
 */
export async function openGateway(
  environment: NodeJS.ProcessEnv,
  websitePort: number,
  programs: readonly Program[],
): Promise<Gateway & { drainMs: number }> {
  const unsafeSettings = findUnsafeSettings(environment, programs);
  const settings = readSettings(GatewaySettings, environment, unsafeSettings);
  const { PUBLIC_URL, SHORT_URL = PUBLIC_URL } = settings;
  const gateway = await startGateway({
    port: settings.PORT,
    address: settings.HOST,
    websiteUrl: `http://127.0.0.1:${websitePort}`,
    hostUrl: settings.HOST_URL ?? `http://127.0.0.1:${settings.HOST_PORT}`,
    trustProxy: settings.TRUST_PROXY,
    countryHeader: settings.COUNTRY_HEADER,
    appName: settings.APP_NAME,
    addresses: [PUBLIC_URL, SHORT_URL],
    internalKeys: readInternalKeys(settings),
    hstsSubdomains: settings.HSTS_SUBDOMAINS,
    log: createLog('gateway', settings.LOG_LEVEL),
  });
  return { ...gateway, drainMs: settings.DRAIN_SECONDS * 1_000 };
}
