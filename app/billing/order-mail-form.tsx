import { useTranslation } from 'react-i18next';
import { Button } from '~/ui/button';
import { Field } from '~/ui/field';
import { Form } from '~/ui/form';
import { ErrorSummary, useErrorTexts } from '~/ui/form-errors';
import { type LastResult, useServerValidatedForm } from '~/ui/server-validated-form';

interface Props {
  /** Path of the page, including the payment. */
  action: string;
  canCorrect: boolean;
  lastResult: LastResult;
}

/** For a mail that does not arrive: sends it again, or to a corrected address. */
export function OrderMailForm({ action, canCorrect, lastResult }: Props) {
  const { t } = useTranslation('billing');
  const [form, fields] = useServerValidatedForm<'email'>({ id: 'order-mail', lastResult, defaultValue: {} });
  const { message, summary } = useErrorTexts('billing', form);
  // From the response: correcting the field clears its error, but the form must stay open.
  const wasRefused = Boolean(lastResult?.error?.email);
  return (
    <section className="sheet order-mail" aria-labelledby="order-mail-title">
      <h2 id="order-mail-title">{t('payment.missing')}</h2>
      <ErrorSummary errors={summary} />
      <Form action={action}>
        <Button variant="secondary" name="intent" value="resend">
          {t('payment.resend')}
        </Button>
      </Form>
      {canCorrect && (
        <details className="order-mail__wrong" {...(wasRefused && { open: true })}>
          <summary>{t('payment.wrong')}</summary>
          <p>{t('payment.wrongText')}</p>
          <Form action={action} {...form.props} className="form">
            <Field
              field={{ ...fields.email, required: true }}
              type="email"
              label={t('payment.correct')}
              error={message(fields.email.errors)}
              maxLength={254}
              autoComplete="email"
              autoCapitalize="none"
              spellCheck={false}
            />
            <Button name="intent" value="correct">
              {t('payment.correctSubmit')}
            </Button>
          </Form>
          <p>{t('payment.stillWrong')}</p>
        </details>
      )}
    </section>
  );
}
