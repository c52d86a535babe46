import { useTranslation } from 'react-i18next';
import { useAnsweredForm } from '~/ui/answered-form';
import { Button } from '~/ui/button';
import { ErrorSummary } from '~/ui/error-summary';
import { useErrorTexts } from '~/ui/error-texts';
import { Form } from '~/ui/form';
import { Icon } from '~/ui/icon';
import type { LastResult } from '~/ui/schema-form';
import { type Captcha, useCaptcha } from '~/ui/use-captcha';

interface Props {
  pendingEmail: string;
  /** Of the mail that was asked for again. */
  lastResult: LastResult;
  check: Captcha;
}

/** Stays the way it is until somebody opens the mail; both ways out are forms of their own. */
export function PendingEmail({ pendingEmail, lastResult, check }: Props) {
  const { t } = useTranslation('settings');
  const [form] = useAnsweredForm<never>({ id: 'resend-email', lastResult, defaultValue: {} });
  const { summary } = useErrorTexts('account', form);
  const robot = useCaptcha(check, 'resend_email_change');
  return (
    <div className="pending">
      <ErrorSummary errors={summary} />
      <p>
        <Icon name="mail" />
        <span>
          {t('pending.text')} <strong>{pendingEmail}</strong>
        </span>
      </p>
      <div className="actions">
        <Form {...form.props} onSubmit={robot.guard}>
          <input type="hidden" name="intent" value="resend-email" />
          {robot.fields}
          <Button variant="secondary" size="small">
            {t('pending.resend')}
          </Button>
        </Form>
        <Form>
          <Button variant="quiet" size="small" name="intent" value="cancel-email">
            {t('pending.cancel')}
          </Button>
        </Form>
      </div>
    </div>
  );
}
