import { useTranslation } from 'react-i18next';
import { useHydrated } from 'remix-utils/use-hydrated';
import { useCaptcha } from '~/ui/use-captcha';

export type RobotCheck = { siteKey: string; contactEmail: string } | null;

/** The captcha of a form: what is asked at every submit, what goes into the form, and what went wrong with it. */
export function useRobotCheck(check: RobotCheck, action: string) {
  const { t } = useTranslation('account');
  const isHydrated = useHydrated();
  const { field, guard, hasFailed } = useCaptcha(check?.siteKey ?? null, action);
  const fields = check && (
    <>
      <input ref={field} type="hidden" name="captcha" defaultValue="" />
      {!isHydrated && (
        <p className="note">
          {t('captcha.noScripts')} <a href={`mailto:${check.contactEmail}`}>{check.contactEmail}</a>
        </p>
      )}
    </>
  );
  return { fields, guard, errors: hasFailed ? [{ text: t('captcha.failed') }] : [] };
}
