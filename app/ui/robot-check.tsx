import { useCaptcha } from './use-captcha';

export type RobotCheck = { siteKey: string; formToken: string } | null;

/**
 * What shows that no robot is at work on a form: `guard` is asked at every submit, `fields` go into the form. The
 * form's own token goes along for where no script runs or the captcha does not load. Nothing at all without a check.
 */
export function useRobotCheck(check: RobotCheck, action: string) {
  const { field, guard } = useCaptcha(check?.siteKey ?? null, action);
  const fields = check && (
    <>
      <input ref={field} type="hidden" name="captcha" defaultValue="" />
      <input type="hidden" name="formToken" value={check.formToken} />
    </>
  );
  return { fields, guard };
}
