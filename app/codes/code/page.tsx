import '~/styles/code-pages.css';
import '~/styles/code-figures.css';
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { CONTENT_FORMS } from '~/codes/contents/content-forms';
import { CodeDownloads } from '~/codes/files/downloads';
import { previewCode } from '~/codes/files/downloads.server';
import { Tags } from '~/codes/list/tags';
import { CodeFixes } from '~/codes/look/fixes';
import { historyOf } from '~/codes/look/style-picture.server';
import { requireUser } from '~/http/guards.server';
import { CodeFigures, LastVisits, LockedFigures } from '~/statistics/code-statistics';
import { findCodeStatistics } from '~/statistics/code-statistics.server';
import { buttonClass } from '~/ui/button';
import type { FormHandle } from '~/ui/language-switch';
import { usePageActionData } from '~/ui/page-action-data';
import type { PageHandle } from '~/ui/page-head';
import { getCode, nameOf } from './codes.server';
import { handleCodeEdit } from './edit.server';
import { Fold } from './fold';
import { HistoryFold } from './history';
import { CheckedPicture } from './picture-check';
import {
  AddressFold,
  BeaconFold,
  EndFold,
  LabelFold,
  StaticVisibilityFold,
  VisibilityFold,
} from './setting-folds';
import { CodeStates } from './states';
import { TargetForm } from './target-form';

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
  const isLocked = statistics?.isLocked === true;
  // The page has several forms: the posted `intent` tells which one the result belongs to.
  const form = (intent: string) => ({
    isLocked,
    lastResult: actionData?.lastResult.initialValue?.intent === intent ? actionData.lastResult : undefined,
  });
  const visits = statistics?.isLocked === false ? statistics.visits : [];
  return (
    <div className="code-page">
      <div className="code-page__head">
        <p>
          <Link to="/user/qrcodes">{t('one.back')}</Link>
        </p>
        <h1>{name}</h1>
        <CodeStates code={code} isLocked={isLocked} />
        <Destination code={code} />
        {code.tags.length > 0 && <Tags tags={code.tags} />}
      </div>
      <div className="code-page__picture">
        <CheckedPicture {...picture} label={t('one.picture', { name })} />
        {code.style && <CodeFixes id={code.id} style={code.style} examination={picture.examination} />}
        {!isLocked && (
          <p>
            <Link to={`/user/qrcodes/${code.id}/look`} className={buttonClass('secondary')}>
              {t('look:changeLook')}
            </Link>
          </p>
        )}
        {code.dynamic && (
          <p className="code-page__printed">
            {t('one.scanLink')}: <span className="mono">{code.scanLink}</span>
          </p>
        )}
      </div>
      <div className="code-page__work">
        {statistics?.isLocked === false && <CodeFigures id={code.id} statistics={statistics} />}
        {isLocked && code.dynamic && <LockedFigures />}
        {code.dynamic && <TargetForm code={code} {...form('content')} />}
        <CodeDownloads code={code} drawn={picture.drawn} />
        <div className="code-page__folds">
          {code.dynamic && <AddressFold code={code} />}
          {code.dynamic ? (
            <VisibilityFold visibility={code.visibility} {...form('visibility')} />
          ) : (
            <StaticVisibilityFold />
          )}
          <LabelFold code={code} {...form('labels')} />
          {visits.length > 0 && (
            <Fold id="visits" summary={t('statistics:lastVisits.heading')}>
              <LastVisits visits={visits} />
            </Fold>
          )}
          {code.beacon && <BeaconFold address={code.beacon} />}
          <HistoryFold code={code} changes={changes} {...form('bring-back')} />
          <EndFold code={code} {...form('archive')} />
        </div>
      </div>
    </div>
  );
}

/** Where a code leads, or why its destination cannot change. */
function Destination({ code }: { code: Pick<CodeData['code'], 'type' | 'content' | 'dynamic'> }) {
  const { t } = useTranslation('codes');
  const { Lead } = CONTENT_FORMS[code.type];
  if (!code.dynamic) return <p className="muted">{t('one.staticAbout')}</p>;
  return Lead && <Lead content={code.content} />;
}
