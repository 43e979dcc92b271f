/** One endpoint: its draft with script and settings, trials, versions, figures, state and schedules. */
import { Tabs } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { EditedDraft } from '../../parts/draft/use-draft.ts'
import { Page } from '../../parts/page.tsx'
import type { ScriptPlace } from '../../parts/script/script-editor.tsx'
import { ErrorState, LoadingState } from '../../parts/states.tsx'
import { useAddress } from '../../parts/use-address.ts'
import { endpointTexts as texts } from '../../texts/scripts/endpoints.ts'
import { ConflictDialog } from '../scripting/conflict-dialog.tsx'
import type { Endpoint, EndpointDefinition } from '../scripting/definition-types.ts'
import { RefusedDraft } from '../scripting/draft-actions.tsx'
import classes from '../scripting/scripting.module.css'
import { useSession } from '../session/session.tsx'
import { EndpointActions } from './endpoint-actions.tsx'
import { EndpointState } from './endpoint-state.tsx'
import { SchedulesTab } from './tabs/schedules-tab.tsx'
import { ScriptTab } from './tabs/script-tab.tsx'
import { SettingsTab } from './tabs/settings-tab.tsx'
import { StateTab } from './tabs/state-tab.tsx'
import { StatisticsTab } from './tabs/statistics-tab.tsx'
import { VersionsTab } from './tabs/versions-tab.tsx'
import { TestTab } from './trial/test-tab.tsx'
import { draftOf, useEndpoint } from './use-endpoint.ts'

export function EndpointPage(): ReactNode {
  const { id } = useParams({ strict: false }) as { readonly id: string }
  const { edited, error, retry } = useEndpoint(id)
  if (error !== null) {
    return (
      <Page title={texts.title}>
        <ErrorState title={texts.failed} error={error} onRetry={retry} />
      </Page>
    )
  }
  if (edited === undefined) {
    return (
      <Page title={texts.title}>
        <LoadingState />
      </Page>
    )
  }
  return <LoadedEndpoint edited={edited} />
}

type Edited = EditedDraft<Endpoint, EndpointDefinition>

function LoadedEndpoint({ edited }: { readonly edited: Edited }): ReactNode {
  const { may } = useSession()
  const { saved, draft } = edited
  const [address, change] = useAddress()
  /** Where the editor is to go. */
  const [target, setTarget] = useState<ScriptPlace>()
  const showPlace = (place: ScriptPlace) => {
    setTarget(place)
    change({ tab: undefined })
  }
  const rights: { readonly [Tab in keyof typeof texts.tabs]?: string } = {
    test: 'testEndpoint',
    state: 'listEndpointState',
    statistics: 'getExecutionStatistics',
    versions: 'listEndpointVersions',
  }
  const panels: { readonly [Tab in keyof typeof texts.tabs]: ReactNode } = {
    script: <ScriptTab edited={edited} target={target} />,
    settings: <SettingsTab edited={edited} />,
    test: <TestTab id={saved.id} draft={draft} onPlace={showPlace} />,
    versions: <VersionsTab edited={edited} />,
    statistics: <StatisticsTab id={saved.id} />,
    state: <StateTab id={saved.id} name={saved.draft.name} />,
    schedules: <SchedulesTab edited={edited} />,
  }
  const tabs = (Object.keys(panels) as (keyof typeof panels)[]).filter((tab) =>
    may(rights[tab] ?? 'getEndpoint'),
  )
  const tab = tabs.find((known) => known === address.tab) ?? 'script'
  return (
    <Page
      title={draft.name}
      note={<EndpointState endpoint={saved} />}
      actions={<EndpointActions edited={edited} />}
    >
      <p className={classes.place}>
        {draft.method === null ? texts.scheduledOnly : `${draft.method} /api/dynamic/v1/${draft.path}`}
      </p>
      <RefusedDraft problem={edited.problem} />
      <Tabs
        value={tab}
        onChange={(chosen) => change({ tab: chosen === 'script' ? undefined : (chosen ?? undefined) })}
        keepMounted={false}
      >
        <Tabs.List>
          {tabs.map((name) => (
            <Tabs.Tab key={name} value={name}>
              {texts.tabs[name]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map((name) => (
          <Tabs.Panel key={name} value={name} className={classes.panel} keepMounted={name === 'script'}>
            {panels[name]}
          </Tabs.Panel>
        ))}
      </Tabs>
      <ConflictDialog conflict={edited.conflict} draftOf={draftOf} onChoose={edited.resolve} />
    </Page>
  )
}
