import { useTranslation } from 'react-i18next';
import { type RobotCheck, useRobotCheck } from '~/ui/robot-check';

/** The captcha of a form about an account, in its words. */
export function useAccountCheck(check: RobotCheck, action: string) {
  const { t } = useTranslation('account');
  const noScripts = check && (
    <>
      {t('captcha.noScripts')} <a href={`mailto:${check.contactEmail}`}>{check.contactEmail}</a>
    </>
  );
  return useRobotCheck({ check, action, failed: t('captcha.failed'), noScripts });
}
