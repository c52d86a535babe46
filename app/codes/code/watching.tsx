import { useTranslation } from 'react-i18next';
import { useLocale } from '~/i18n/use-locale';
import { Button } from '~/ui/button';
import { Form } from '~/ui/form';
import { ErrorSummary, useErrorTexts } from '~/ui/form-errors';
import { type LastResult, useServerValidatedForm } from '~/ui/server-validated-form';
import { DateTime } from '~/ui/time';
import { Changeable } from './changeable';
import type { DestinationFailure } from './destination-state';
import { Fold } from './fold';

interface Check {
  address: string;
  checkedAt: string | null;
  problem: DestinationFailure['problem'] | null;
  status: number | null;
  movedTo: string | null;
  isConfirmed: boolean;
  isDue: boolean;
}

interface Props {
  watched: boolean;
  /** Of each address that the code leads to, if they are checked. */
  checks: Check[];
  isLocked: boolean;
  lastResult: LastResult;
}

/** Whether the destinations of a code are checked once a day, what was seen last, and a check at once. */
export function WatchingFold({ watched, checks, isLocked, lastResult }: Props) {
  const { t } = useTranslation('codes');
  const [form] = useServerValidatedForm<never>({ id: 'watching-form', lastResult });
  const { summary } = useErrorTexts('design', form);
  return (
    <Fold
      id="watching"
      summary={t('watching.heading')}
      value={t(`now.${stateOf(watched, checks)}`)}
      isOpen={checks.some(({ isDue }) => isDue)}
      hasErrors={summary.length > 0}
    >
      <ErrorSummary errors={summary} />
      <p>{t(watched ? 'watching.on' : 'watching.off')}</p>
      {checks.length > 0 && (
        <ul>
          {checks.map((check) => (
            <li key={check.address}>
              <span className="rule__target">{check.address}</span> <Seen check={check} />
            </li>
          ))}
        </ul>
      )}
      <div className="actions">
        {checks.length > 0 && (
          <Form>
            <input type="hidden" name="intent" value="check" />
            <Changeable isLocked={isLocked}>
              <Button variant="secondary">{t('watching.now')}</Button>
            </Changeable>
          </Form>
        )}
        <Form {...form.props}>
          <input type="hidden" name="intent" value="watching" />
          <Changeable isLocked={isLocked}>
            <Button variant="secondary" name="watched" value={String(!watched)}>
              {t(watched ? 'watching.stop' : 'watching.start')}
            </Button>
          </Changeable>
        </Form>
      </div>
    </Fold>
  );
}

function stateOf(watched: boolean, checks: Check[]) {
  if (!watched) return 'unwatched';
  if (checks.some(({ isDue }) => isDue)) return 'beingChecked';
  if (checks.some(({ problem }) => problem !== null)) return 'fails';
  return checks.some(({ checkedAt }) => checkedAt !== null) ? 'answers' : 'watched';
}

/** What the last look at an address saw, and when. */
function Seen({ check }: { check: Check }) {
  const { checkedAt, problem, status, movedTo, isConfirmed, isDue } = check;
  const { t } = useTranslation('codes');
  const locale = useLocale();
  return (
    <>
      {isDue && t('watching.soon')}{' '}
      {checkedAt ? (
        <>
          {problem ? t(`watching.problems.${problem}`, { status }) : t('watching.answers')}{' '}
          {movedTo && <span className="rule__target">{movedTo}</span>} {t('watching.checked')}{' '}
          <DateTime value={checkedAt} locale={locale} />. {problem && !isConfirmed && t('watching.again')}
        </>
      ) : (
        !isDue && t('watching.never')
      )}
    </>
  );
}
