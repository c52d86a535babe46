import { z } from 'zod';
import { AddressSetting, DrainSetting, HeaderSetting, readSettings } from '#contract/setting-fields';
import { type Gateway, startGateway } from './gateway';

const port = (usual: number) => z.coerce.number().int().min(0).max(65_535).default(usual);

/** What the gateway needs of the settings of both programs. */
const GatewaySettings = z.object({
  APP_NAME: z.string().default('Quadrille'),
  PORT: port(3000),
  /** Address it binds; all of them unless given, as remix-serve has it. */
  HOST: z.string().optional(),
  HOST_URL: AddressSetting.optional(),
  HOST_PORT: port(4000),
  TRUST_PROXY: HeaderSetting,
  COUNTRY_HEADER: HeaderSetting,
  DRAIN_SECONDS: DrainSetting,
});

/** Opens the gateway by the settings in `environment`, before the website that listens on `websitePort` of loopback. */
export async function openGateway(
  environment: NodeJS.ProcessEnv,
  websitePort: number,
): Promise<Gateway & { drainMs: number }> {
  const settings = readSettings(GatewaySettings, environment);
  const gateway = await startGateway({
    port: settings.PORT,
    address: settings.HOST,
    websiteUrl: `http://127.0.0.1:${websitePort}`,
    hostUrl: settings.HOST_URL ?? `http://127.0.0.1:${settings.HOST_PORT}`,
    trustProxy: settings.TRUST_PROXY,
    countryHeader: settings.COUNTRY_HEADER,
    appName: settings.APP_NAME,
  });
  return { ...gateway, drainMs: settings.DRAIN_SECONDS * 1_000 };
}
