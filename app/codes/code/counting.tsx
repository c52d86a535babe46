import { Link } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { Button, buttonClass } from '~/ui/button';
import { CopyField } from '~/ui/copy-to-clipboard';
import { Form } from '~/ui/form';
import { ErrorSummary, useErrorTexts } from '~/ui/form-errors';
import { type LastResult, useServerValidatedForm } from '~/ui/server-validated-form';
import { Changeable } from './changeable';
import { Fold } from './fold';

interface Props {
  code: { id: string; counted: boolean; beacon: string | null };
  isLocked: boolean;
  lastResult: LastResult;
}

/** Whether visits are counted. Switching it off takes effect at once; switching it on asks on a page of its own. */
export function CountingFold({ code: { id, counted, beacon }, isLocked, lastResult }: Props) {
  const { t } = useTranslation('codes');
  const [form] = useServerValidatedForm<never>({ id: 'counting-form', lastResult });
  const { summary } = useErrorTexts('design', form);
  return (
    <Fold
      id="counting"
      summary={t('counting.heading')}
      value={t(counted ? 'now.counted' : 'now.uncounted')}
      isOpen={!counted}
      hasErrors={summary.length > 0}
    >
      <ErrorSummary errors={summary} />
      <p>{t(counted ? 'counting.on' : 'counting.off')}</p>
      {counted ? (
        <Form {...form.props}>
          <input type="hidden" name="intent" value="counting" />
          <Changeable isLocked={isLocked}>
            <Button variant="secondary" name="counted" value="false">
              {t('counting.stop')}
            </Button>
          </Changeable>
        </Form>
      ) : (
        <>
          <p>{t(beacon === null ? 'counting.kept' : 'counting.link')}</p>
          {beacon !== null && (
            <CopyField label={t('counting.sentenceLabel')} value={t('counting.sentence')} />
          )}
          {!isLocked && (
            <p>
              <Link to={`/user/qrcodes/${id}/count`} className={buttonClass('secondary')}>
                {t('counting.start')}
              </Link>
            </p>
          )}
        </>
      )}
    </Fold>
  );
}
