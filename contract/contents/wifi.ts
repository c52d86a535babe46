import { BIDI_CONTROLS, withoutInvisible } from '../invisible';
import type { ContentType, Stored } from './content-type';
import { CONTENT_LIMIT, lengthOf } from './text-rules';
import {
  composeWifi,
  isEnterpriseWifi,
  isReadBack,
  PASSPHRASES,
  parseWifi,
  type WifiNetwork,
  type WifiSecurity,
} from './wifi-string';

interface WifiFields {
  ssid?: string;
  passphrase?: string;
  security?: WifiSecurity;
  hidden?: boolean;
}

const SECURITIES = ['WPA', 'WEP', 'nopass'] as const satisfies WifiSecurity[];

export const wifi = {
  visit: null,
  refusals: { change: 'wifi_fixed', hide: 'wifi_public' },
  acts: [],
  main: 'ssid',
  fields: {
    ssid: { max: 32, units: 200, isExact: true },
    passphrase: { max: 64, units: 200, isExact: true },
    security: { options: SECURITIES },
    hidden: { isFlag: true },
  },
  check: (fields: WifiFields) => checkNetwork(networkOf(fields)),
  counted: composed,
  compose: (fields: WifiFields) => ({ content: composed(fields) }),
  parse(content: string) {
    const text = withoutInvisible(content);
    const network = parseWifi(text);
    if (network === null)
      return { problem: isEnterpriseWifi(text) ? ('wifi_enterprise' as const) : ('wifi_invalid' as const) };
    const [problem] = checkNetwork(network);
    return problem ? { problem: problem.code } : { fields: network };
  },
  payload: ({ content }: Stored) => content,
  line: (content: string) => (/S:((?:\\.|[^\\;])*)/.exec(content)?.[1] ?? content).replace(/\\(.)/g, '$1'),
} as const satisfies ContentType<WifiFields>;

/** Empty while the network has no name. */
function composed(fields: WifiFields): string {
  return fields.ssid ? composeWifi(networkOf(fields)) : '';
}

function networkOf(fields: WifiFields): WifiNetwork {
  const security = fields.security ?? 'WPA';
  const passphrase = security === 'nopass' ? '' : (fields.passphrase ?? '');
  // Routers have none in their names and keys: they come with what was copied.
  const [ssid, key] = [withoutInvisible(fields.ssid ?? ''), withoutInvisible(passphrase)];
  return { ssid, passphrase: key, security, hidden: fields.hidden ?? false };
}

type WifiProblem =
  | 'ssid_required'
  | 'ssid_too_long'
  | 'passphrase_required'
  | 'passphrase_length'
  | 'trailing_backslash'
  | 'not_readable'
  | 'bidi_controls'
  | 'content_too_long';

/** Every problem that would prevent phones from joining the network; empty when the code is ready to print. */
function checkNetwork(network: WifiNetwork) {
  const { ssid, passphrase, security } = network;
  const problems: { field: string; code: WifiProblem }[] = [];
  const refuse = (field: 'ssid' | 'passphrase', code: WifiProblem) => problems.push({ field, code });
  if (ssid.trim() === '') refuse('ssid', 'ssid_required');
  if (new TextEncoder().encode(ssid).length > 32) refuse('ssid', 'ssid_too_long');
  if (BIDI_CONTROLS.test(ssid)) refuse('ssid', 'bidi_controls');
  if (security !== 'nopass' && passphrase === '') refuse('passphrase', 'passphrase_required');
  else if (!PASSPHRASES[security].test(passphrase)) refuse('passphrase', 'passphrase_length');
  // Android's reader takes the backslash as escaping the separator that follows.
  if (ssid.endsWith('\\')) refuse('ssid', 'trailing_backslash');
  if (passphrase.endsWith('\\')) refuse('passphrase', 'trailing_backslash');
  if (!isReadBack(network)) refuse('ssid', 'not_readable');
  if (lengthOf(composeWifi(network)) > CONTENT_LIMIT) refuse('ssid', 'content_too_long');
  return problems;
}
