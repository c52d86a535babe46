import '~/styles/code-pages.css';
import type { LoaderFunctionArgs } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { getProfile } from '#contract/accounts';
import { getOwnSubscription } from '~/billing/subscription.server';
import { CONTENT_FORMS } from '~/codes/contents/content-forms';
import { DownloadForm, useScanningDistance, usualWidth } from '~/codes/files/downloads';
import { previewCode } from '~/codes/files/downloads.server';
import { requireUser } from '~/http/guards.server';
import { callHost } from '~/http/host.server';
import { i18nOf } from '~/i18n/messages.server';
import { Button, buttonClass } from '~/ui/button';
import { Field } from '~/ui/field';
import { Form } from '~/ui/form';
import { ErrorSummary, useErrorTexts } from '~/ui/form-errors';
import { usePageActionData } from '~/ui/page-action-data';
import { type LastResult, useServerValidatedForm } from '~/ui/server-validated-form';
import { getCode, nameOf } from './codes.server';
import { CheckedPicture } from './picture-check';

export const handle = { page: 'codes:ready' };

export async function loader({ params, ...args }: LoaderFunctionArgs) {
  const scope = await requireUser(args);
  const [shown, { subscription }, profile] = await Promise.all([
    getCode(scope, params.id).then(async ({ code }) => ({ code, picture: await previewCode(scope, code) })),
    getOwnSubscription(scope),
    callHost(scope, getProfile),
  ]);
  const { t } = i18nOf(scope.locale);
  const next = subscription?.next;
  const payment = next ? t(`billing:subscription.next.${next.code}`, next) : null;
  return { ...shown, payment, name: nameOf(shown.code), firstName: profile.data.firstName };
}

export { shouldRevalidate } from '~/ui/form-route';

/** The first minute with the first code: what was paid for, and what to do with it. */
export default function ReadyPage() {
  const { code, picture, payment, name, firstName } = useLoaderData<typeof loader>();
  const actionData = usePageActionData<{ lastResult: LastResult }>();
  const { t } = useTranslation('codes');
  const distanceOf = useScanningDistance(picture.drawn);
  const page = `/user/qrcodes/${code.id}`;
  const width = usualWidth(picture.drawn);
  return (
    <div className="code-page ready">
      <div className="code-page__picture">
        <CheckedPicture {...picture} label={t('one.picture', { name })} />
      </div>
      <div className="code-page__work">
        <h1>{firstName ? t('ready.heading', { name: firstName }) : t('ready.headingNameless')}</h1>
        <Lasting code={code} />
        <p>
          <a
            href={`${page}/download?format=pdf&millimetres=${width}`}
            className={buttonClass('primary')}
            download
          >
            {t('ready.print', { width })}
          </a>
        </p>
        <p className="hint">{t('ready.distance', { metres: distanceOf(width) })}</p>
        <details className="fold" id="downloads">
          <summary>{t('ready.others')}</summary>
          <DownloadForm code={code} drawn={picture.drawn} directLeastMm={picture.directLeastMm} />
        </details>
        <section className="sheet" aria-labelledby="next">
          <h2 id="next">{t('ready.next')}</h2>
          <ul className="links">
            <li>
              {t(code.dynamic ? 'ready.scan' : 'ready.scanStatic')}{' '}
              <Link to={page}>{t('ready.scanLink')}</Link>.
            </li>
            <li>
              <Link to="/user/qrcodes/import">{t('ready.import')}</Link>
            </li>
          </ul>
          {code.name === null && (
            <NameForm page={page} tags={code.tags} lastResult={actionData?.lastResult} />
          )}
        </section>
        {payment && <p className="hint">{payment}</p>}
      </div>
    </div>
  );
}

interface LastingProps {
  code: { type: keyof typeof CONTENT_FORMS; content: string; dynamic: boolean };
}

/** Where the code leads, and that this can change although it is printed. */
function Lasting({ code: { type, content, dynamic } }: LastingProps) {
  const { t } = useTranslation('codes');
  const { Lead } = CONTENT_FORMS[type];
  if (!dynamic) return <p className="lead">{t('one.staticAbout')}</p>;
  return (
    <>
      {Lead && <Lead content={content} />}
      <p className="lead">{t(Lead ? 'ready.changeable' : 'ready.contentChangeable')}</p>
    </>
  );
}

interface NameFormProps {
  /** Path of the code's page, to which it posts. */
  page: string;
  /** Sent along, as both are saved together. */
  tags: string[];
  lastResult: LastResult;
}

function NameForm({ page, tags, lastResult }: NameFormProps) {
  const { t } = useTranslation('codes');
  const [form] = useServerValidatedForm<'name'>({ id: 'labels', lastResult });
  const { control, summary } = useErrorTexts('design', form);
  return (
    <Form {...form.props} action={page} className="target-form target-form--line">
      <ErrorSummary errors={summary} />
      <input type="hidden" name="intent" value="labels" />
      <input type="hidden" name="tags" value={tags.join(', ')} />
      <Field {...control('name')} label={t('ready.name')} autoComplete="off" />
      <Button variant="secondary">{t('ready.saveName')}</Button>
    </Form>
  );
}
