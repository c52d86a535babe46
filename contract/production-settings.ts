import { isLoopbackAddress } from './own-addresses';
import { AllowSetting, type Environment, givenSettings } from './setting-fields';

export type Program = 'host' | 'website';

/** Each allows a publicly reachable program to start with something meant for trying the product out. */
export const AllowSettings = {
  ALLOW_SANDBOX_PAYMENTS: AllowSetting,
  ALLOW_UNSENT_MAIL: AllowSetting,
  ALLOW_OPEN_MAILBOX: AllowSetting,
  ALLOW_GENERATED_SECRETS: AllowSetting,
};
type Allowance = keyof typeof AllowSettings;

/**
 * Settings that are fine for trying the product out but unsafe once other machines reach PUBLIC_URL, each with the
 * setting that fixes it and the one that allows it. `programs` are those that start together here.
 */
export function findUnsafeSettings(source: Environment, programs: readonly Program[]): string[] {
  const given = givenSettings(source);
  const { PUBLIC_URL = '' } = given;
  if (!URL.canParse(PUBLIC_URL) || isLoopbackAddress(PUBLIC_URL)) return [];
  const problems: string[] = [];
  const refuse = (what: string, fix: string, allowance: Allowance) => {
    if (given[allowance] !== '1') problems.push(`${what}: ${fix}, or allow it with ${allowance}=1`);
  };
  if (programs.includes('host')) {
    if ((given.PAYMENTS ?? 'sandbox') === 'sandbox') {
      refuse(
        'payments go to the sandbox, which charges nobody',
        'set PAYMENTS=stripe',
        'ALLOW_SANDBOX_PAYMENTS',
      );
    }
    if (!given.SMTP_URL) {
      refuse('no mail leaves, not even to new customers', 'set SMTP_URL', 'ALLOW_UNSENT_MAIL');
      const mailbox = 'every program on this machine can read all mails at /mailbox';
      refuse(mailbox, 'set SMTP_URL', 'ALLOW_OPEN_MAILBOX');
    }
  }
  const secrets = [
    programs.includes('host') && 'JWT_SECRET',
    programs.includes('website') && 'SESSION_SECRET',
    // Programs that start together are given a shared one.
    programs.length < 2 && 'INTERNAL_SECRET',
  ];
  for (const secret of secrets) {
    if (!secret || given[secret]) continue;
    const what = `${secret} would be one that this machine makes up and no other knows`;
    refuse(what, 'set it to 32 random characters or more', 'ALLOW_GENERATED_SECRETS');
  }
  return problems;
}
