import type { ReactNode } from 'react';
import { useHydrated } from 'remix-utils/use-hydrated';
import { useCaptcha } from './use-captcha';

export type RobotCheck = { siteKey: string; contactEmail: string } | null;

interface Options {
  /** Null where no captcha is set up: then nothing is asked and nothing shown. */
  check: RobotCheck;
  /** Of the captcha. */
  action: string;
  /** Says that the captcha could not be asked. */
  failed: string;
  /** Says whom to write to without scripts. */
  noScripts: ReactNode;
}

/** The captcha of a form: what is asked at every submit, what goes into the form, and what went wrong with it. */
export function useRobotCheck({ check, action, failed, noScripts }: Options) {
  const isHydrated = useHydrated();
  const { field, guard, hasFailed } = useCaptcha(check?.siteKey ?? null, action);
  const fields = check && (
    <>
      <input ref={field} type="hidden" name="captcha" defaultValue="" />
      {!isHydrated && <p className="note">{noScripts}</p>}
    </>
  );
  return { fields, guard, errors: hasFailed ? [{ text: failed }] : [] };
}
