import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { Link, useActionData, useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { NoneChosen, PartsNote, SelectionFields, SortField } from '~/codes/list/selection';
import { Button } from '~/ui/button';
import { CheckboxField, Field } from '~/ui/field';
import type { FormHandle } from '~/ui/language-switch';
import type { PageHandle } from '~/ui/page-head';
import { FormPage } from '~/ui/page-layouts';
import { RadioGroup } from '~/ui/radio-group';
import type { CodeFormat } from './formats';
import { loadZipPage, type ZipPage } from './zip-choice.server';

export const handle: PageHandle & FormHandle = {
  page: 'files:zip',
  form: (data) => ((data as { hasForm: boolean }).hasForm ? 'zip' : null),
};

export async function loader(args: LoaderFunctionArgs) {
  return loadZipPage(args);
}

/** A selection too large for a URL is posted, still without any options. */
export async function action(args: ActionFunctionArgs) {
  return loadZipPage(args);
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function Zip() {
  const requested = useLoaderData<typeof loader>();
  const page = useActionData<typeof action>() ?? requested;
  return page.count === 0 ? <NoneChosen /> : <ZipForm page={page} />;
}

type FieldName = 'format' | 'pixels' | 'millimetres' | 'variant';

const FORMATS = ['png', 'jpeg', 'svg', 'pdf'] as const;
/** Formats that can leave a background out. */
const GROUNDLESS_FORMATS: CodeFormat[] = ['png', 'svg'];
const idOf = (name: FieldName) => `zip-${name}`;

/** Options for the files in a ZIP: a native form, because the response is a file. */
function ZipForm({ page }: { page: ZipPage }) {
  const { count, parts, most, hasNoGround, leastMm, tooLong, selection, method, sort, values, problem } =
    page;
  const { t } = useTranslation('files');
  const field = (name: FieldName) => ({ id: idOf(name), name, initialValue: values[name] });
  const errorOf = (name: FieldName) => (problem?.field === name ? problem.text : undefined);
  const hintOf = (format: CodeFormat) => {
    const hint = t(`zip.formatHints.${format}`);
    return hasNoGround && GROUNDLESS_FORMATS.includes(format) ? `${hint} ${t('zip.noGround')}` : hint;
  };
  const errors = problem ? [{ field: idOf(problem.field), text: problem.text }] : [];
  return (
    <FormPage title={t('zip.heading', { count })} lead={t('zip.lead')} errors={errors}>
      <form id="zip" method={method} action="/user/qrcodes/zip/download" className="form" noValidate>
        <SelectionFields selection={selection} />
        <RadioGroup
          field={field('format')}
          legend={t('zip.format')}
          options={FORMATS.map((value) => ({
            value,
            label: t(`zip.formats.${value}`),
            hint: hintOf(value),
          }))}
          error={errorOf('format')}
        />
        <Field
          field={field('pixels')}
          label={t('zip.pixels')}
          hint={t('zip.pixelsHint')}
          error={errorOf('pixels')}
          suffix="px"
          inputMode="numeric"
          autoComplete="off"
        />
        <Field
          field={field('millimetres')}
          label={t('zip.millimetres')}
          hint={`${t('zip.millimetresHint')} ${t('zip.least', { least: leastMm })}`}
          error={errorOf('millimetres')}
          suffix="mm"
          inputMode="numeric"
          autoComplete="off"
        />
        <CheckboxField
          field={field('variant')}
          value="direct"
          label={t('zip.direct')}
          hint={t('zip.directHint')}
        />
        {tooLong.length > 0 && (
          <p className="warning">
            {t('zip.directTooLong', { count: tooLong.length })} {tooLong.join(' · ')}
          </p>
        )}
        {count > 1 && <SortField id="zip-sort" sort={sort} />}
        <p className="note">{t('zip.stay')}</p>
        {parts.length > 1 && <PartsNote count={parts.length} most={most} />}
        <div className="actions">
          {parts.length > 1 ? (
            parts.map(({ from, to }, n) => (
              <Button key={from} name="part" value={n + 1}>
                {t('zip.submitPart', { from, to })}
              </Button>
            ))
          ) : (
            <Button>{t('zip.submit')}</Button>
          )}
          <Link to="/user/qrcodes">{t('back')}</Link>
        </div>
      </form>
    </FormPage>
  );
}
