import { useTranslation } from 'react-i18next';
import { Button } from '~/ui/button';
import { CopyField } from '~/ui/copy-to-clipboard';
import { Field, SelectField } from '~/ui/field';
import { Form, FormKey } from '~/ui/form';
import { ErrorSummary, useErrorTexts } from '~/ui/form-errors';
import { type LastResult, useServerValidatedForm } from '~/ui/server-validated-form';
import type { SharedLink } from './shared-links.server';

const FIELDS = ['name', 'end', 'until'] as const;
const ENDS = ['30', '7', '90', '365', 'date'] as const;

interface ShareProps {
  /** What the link will show. */
  shows: string;
  formKey: string;
  lastResult: LastResult;
}

/** Makes a link to the report on this page. */
export function ShareForm({ shows, formKey, lastResult }: ShareProps) {
  const { t } = useTranslation('statistics');
  const [form] = useServerValidatedForm<(typeof FIELDS)[number]>({
    id: 'share',
    lastResult,
    defaultValue: { end: ENDS[0] },
    constraint: { name: { required: true } },
    related: { end: ['until'] },
  });
  const { control, summary } = useErrorTexts('statistics', form, FIELDS);
  // Stays open while errors are corrected one by one.
  return (
    <details className="fold report__share" open={Boolean(lastResult) || undefined}>
      <summary>{t('report.share.heading')}</summary>
      <p>{t('report.share.text')}</p>
      <p>{shows}</p>
      <ErrorSummary errors={summary} />
      <Form {...form.props} className="form">
        <FormKey value={formKey} />
        <input type="hidden" name="intent" value="share" />
        <Field
          {...control('name')}
          label={t('report.share.name')}
          hint={t('report.share.nameHint')}
          maxLength={60}
          autoComplete="off"
        />
        <SelectField
          {...control('end')}
          label={t('report.share.end')}
          options={ENDS.map((value) => ({ value, label: t(`report.share.ends.${value}`) }))}
        />
        <Field
          {...control('until')}
          type="date"
          label={t('report.share.until')}
          hint={t('report.share.untilHint')}
          optional
        />
        <Button>{t('report.share.submit')}</Button>
      </Form>
    </details>
  );
}

/** Newest first, so that a new one is among them. */
const LISTED_AT_ONCE = 3;

/** Every link of the account, which can be copied and ended. */
export function SharedLinks({ links }: { links: SharedLink[] }) {
  const { t } = useTranslation('statistics');
  const rest = links.slice(LISTED_AT_ONCE);
  if (links.length === 0) return null;
  return (
    <section className="report__shared" aria-labelledby="shared-links">
      <h2 id="shared-links">{t('report.links.heading')}</h2>
      <LinkList links={links.slice(0, LISTED_AT_ONCE)} />
      {rest.length > 0 && (
        <details>
          <summary>{t('table.rest', { count: rest.length })}</summary>
          <LinkList links={rest} />
        </details>
      )}
    </section>
  );
}

function LinkList({ links }: { links: SharedLink[] }) {
  const { t } = useTranslation('statistics');
  return (
    <ul>
      {links.map(({ id, name, url, shows, until }) => (
        <li key={id} className="sheet">
          <h3>{name}</h3>
          <p>{shows}</p>
          <p className="hint">{until}</p>
          {url ? (
            <CopyField label={t('report.links.url', { name })} value={url} />
          ) : (
            <p className="note">{t('report.links.lost')}</p>
          )}
          <details>
            <summary>
              {t('report.links.end')} <span className="sr-only">{name}</span>
            </summary>
            <p>{t('report.links.endText')}</p>
            <Form>
              <input type="hidden" name="intent" value="end" />
              <input type="hidden" name="id" value={id} />
              <Button>{t('report.links.submit')}</Button>
            </Form>
          </details>
        </li>
      ))}
    </ul>
  );
}
