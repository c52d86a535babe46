import '~/styles/code-pages.css';
import '~/styles/figure-list.css';
import '~/styles/code-figures.css';
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { CONTENT_FORMS } from '~/codes/contents/content-forms';
import { CodeDownloads } from '~/codes/files/downloads';
import { previewCode } from '~/codes/files/downloads.server';
import { Tags } from '~/codes/list/tags';
import { CodeFixes } from '~/codes/look/fixes';
import { Receipt, ScanGrade } from '~/codes/look/scan-grade';
import { historyOf } from '~/codes/look/style-picture.server';
import { requireUser } from '~/http/guards.server';
import { CodeFigures, HealthLine, LastVisits } from '~/statistics/code-statistics';
import { findCodeStatistics } from '~/statistics/code-statistics.server';
import { buttonClass } from '~/ui/button';
import { CopyField } from '~/ui/copy-to-clipboard';
import type { FormHandle } from '~/ui/language-switch';
import { usePageActionData } from '~/ui/page-action-data';
import type { PageHandle } from '~/ui/page-head';
import { BlockNotice } from './block-notice';
import { getCode, nameOf } from './codes.server';
import { handleCodeEdit } from './edit.server';
import { CodePicture } from './picture';
import { ArchiveForm, CodeBeacon, CodeEditForm, CodeHistory, LabelForm, VisibilityForm } from './sections';

export const handle: PageHandle & FormHandle = {
  page: (data) => ({ key: 'codes:one', values: { name: (data as CodeData | null)?.name ?? '' } }),
  form: (data) => {
    const { code } = (data as CodeData | null) ?? {};
    return code ? (code.dynamic ? 'edit' : 'labels') : null;
  },
};

export async function loader({ params, ...args }: LoaderFunctionArgs) {
  const scope = await requireUser(args);
  const [shown, statistics] = await Promise.all([
    getCode(scope, params.id).then(async ({ code, changes }) => {
      return {
        code,
        changes: historyOf({ code, changes }),
        picture: await previewCode(scope, code),
      };
    }),
    findCodeStatistics(scope, params.id ?? ''),
  ]);
  return { ...shown, statistics, name: nameOf(shown.code) };
}
type CodeData = Awaited<ReturnType<typeof loader>>;

export async function action({ params, ...args }: ActionFunctionArgs) {
  return handleCodeEdit(await requireUser(args), params.id);
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function CodePage() {
  const { code, changes, picture, statistics, name } = useLoaderData<typeof loader>();
  const actionData = usePageActionData<typeof action>();
  const { t } = useTranslation('codes');
  // The page has several forms: the posted `intent` tells which one the result belongs to.
  const lastResultOf = (intent: string) =>
    actionData?.lastResult.initialValue?.intent === intent ? actionData.lastResult : undefined;
  return (
    <div className="code-page">
      <div className="code-page__head">
        <p>
          <Link to="/user/qrcodes">{t('one.back')}</Link>
        </p>
        <h1>{name}</h1>
        {code.blocked && <BlockNotice block={code.blocked} />}
        <Destination code={code} />
        {code.tags.length > 0 && <Tags tags={code.tags} />}
        {statistics?.isLocked === false && (
          <HealthLine health={statistics.health} text={statistics.healthText} />
        )}
      </div>
      {statistics && (
        <div className="code-page__figures">
          <CodeFigures id={code.id} statistics={statistics} />
        </div>
      )}
      <div className="code-page__picture">
        <figure className="sheet">
          <CodePicture drawn={picture.drawn} label={t('one.picture', { name })} />
          <figcaption>
            <ReadBackLine read={picture.examination?.readBack} />
            {picture.examination && <ScanGrade scan={picture.examination.scan} />}
          </figcaption>
        </figure>
        {code.style && <CodeFixes id={code.id} style={code.style} examination={picture.examination} />}
        <p>
          <Link to={`/user/qrcodes/${code.id}/look`} className={buttonClass('secondary')}>
            {t('look:changeLook')}
          </Link>
        </p>
        {code.dynamic && (
          <details className="fold" open>
            <summary>{t('one.addresses')}</summary>
            <CopyField label={t('one.link')} value={code.link} />
            <CopyField label={t('one.scanLink')} value={code.scanLink} />
          </details>
        )}
      </div>
      <div className="code-page__work">
        <CodeDownloads code={code} drawn={picture.drawn} />
        {code.dynamic && <CodeEditForm code={code} lastResult={lastResultOf('content')} />}
        {code.dynamic ? (
          <VisibilityForm visibility={code.visibility} lastResult={lastResultOf('visibility')} />
        ) : (
          <section className="sheet">
            <h2>{t('visibility.heading')}</h2>
            <p>{t('visibility.inImage')}</p>
          </section>
        )}
        <LabelForm code={code} lastResult={lastResultOf('labels')} />
        {code.beacon && <CodeBeacon address={code.beacon} />}
        <CodeHistory changes={changes} createdAt={code.createdAt} lastResult={lastResultOf('bring-back')} />
        <section className="sheet code-page__end">
          <h2>{t('archive.heading')}</h2>
          <ArchiveForm isArchived={code.archivedAt !== null} lastResult={lastResultOf('archive')} />
          <p className="hint">{t('one.deleteAbout')}</p>
          <p>
            <Link to={`/user/qrcodes/${code.id}/delete`} className={buttonClass('danger')}>
              {t('one.delete')}
            </Link>
          </p>
        </section>
      </div>
      {statistics?.isLocked === false && <LastVisits visits={statistics.visits} />}
    </div>
  );
}

/** Where a code leads, or why its destination cannot change. */
function Destination({ code }: { code: Pick<CodeData['code'], 'type' | 'content' | 'dynamic'> }) {
  const { t } = useTranslation('codes');
  const { Lead } = CONTENT_FORMS[code.type];
  return (
    <>
      {Lead && <Lead content={code.content} />}
      <p className={code.dynamic ? 'muted' : 'lead'}>{t(`one.about.${code.type}`)}</p>
    </>
  );
}

function ReadBackLine({ read }: { read: string | null | undefined }) {
  const { t } = useTranslation('codes');
  if (read === undefined) return <Receipt state="waiting" text={t('one.notRead')} />;
  if (read === null) return <Receipt state="unread" text={t('design:preview.unread')} />;
  return <Receipt state="reads-back" text={t('design:preview.readsBack', { content: read })} />;
}
