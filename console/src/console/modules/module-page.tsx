/** One module: its draft, its versions, and who imports it. */
import { Button, Stack, Tabs, Text, Textarea } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { answerOf } from '../../api/client.ts'
import { type EditedDraft, useDraft } from '../../parts/draft/use-draft.ts'
import { Page } from '../../parts/page.tsx'
import { LazyScriptEditor } from '../../parts/script/lazy.tsx'
import { faultsAt } from '../../parts/shape-form/shape.ts'
import { ErrorState, LoadingState } from '../../parts/states.tsx'
import { TypedConfirmDialog } from '../../parts/typed-confirm-dialog.tsx'
import { useAddress } from '../../parts/use-address.ts'
import { moduleTexts as texts } from '../../texts/scripts/modules.ts'
import { scriptingTexts } from '../../texts/scripts/scripting.ts'
import { ConflictDialog } from '../scripting/conflict-dialog.tsx'
import type { Module, ModuleDraft } from '../scripting/definition-types.ts'
import { DraftActions, RefusedDraft } from '../scripting/draft-actions.tsx'
import { placedFaults } from '../scripting/placed-faults.ts'
import scripting from '../scripting/scripting.module.css'
import { useModules } from '../scripting/use-modules.ts'
import { useSession } from '../session/session.tsx'
import { ImportersTab } from './importers-tab.tsx'
import { ModuleState } from './module-state.tsx'
import { ModuleVersionsTab } from './module-versions-tab.tsx'

const draftOf = ({ description, script }: Module): ModuleDraft => ({ description, script })

export function ModulePage(): ReactNode {
  const { name } = useParams({ strict: false }) as { readonly name: string }
  const { api } = useSession()
  const path = { name }
  const { edited, error, retry } = useDraft<Module, ModuleDraft>({
    key: ['module', name],
    read: (signal) =>
      answerOf(api.GET('/api/admin/v1/modules/{name}', { params: { path }, ...(signal && { signal }) })),
    draftOf,
    write: (body, etag) =>
      answerOf(
        api.PUT('/api/admin/v1/modules/{name}', { params: { path, header: { 'if-match': etag } }, body }),
      ),
  })
  if (edited === undefined) {
    return (
      <Page title={name}>
        {error === null ? (
          <LoadingState />
        ) : (
          <ErrorState title={texts.failed} error={error} onRetry={retry} />
        )}
      </Page>
    )
  }
  return <LoadedModule edited={edited} />
}

type Props = { readonly edited: EditedDraft<Module, ModuleDraft> }

function LoadedModule({ edited }: Props): ReactNode {
  const { saved } = edited
  const [address, change] = useAddress()
  const panels: { readonly [Tab in keyof typeof texts.tabs]: ReactNode } = {
    script: <ScriptTab edited={edited} />,
    versions: <ModuleVersionsTab edited={edited} />,
    importers: <ImportersTab name={saved.name} newest={saved.version} />,
  }
  const tabs = Object.keys(panels) as (keyof typeof panels)[]
  const tab = tabs.find((known) => known === address.tab) ?? 'script'
  return (
    <Page title={saved.name} note={<ModuleState module={saved} />} actions={<Actions edited={edited} />}>
      <RefusedDraft problem={edited.problem} />
      <Tabs
        value={tab}
        onChange={(chosen) => change({ tab: chosen === 'script' ? undefined : (chosen ?? undefined) })}
        keepMounted={false}
      >
        <Tabs.List>
          {tabs.map((known) => (
            <Tabs.Tab key={known} value={known}>
              {texts.tabs[known]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map((known) => (
          <Tabs.Panel key={known} value={known} className={scripting.panel} keepMounted={known === 'script'}>
            {panels[known]}
          </Tabs.Panel>
        ))}
      </Tabs>
      <ConflictDialog conflict={edited.conflict} draftOf={draftOf} onChoose={edited.resolve} />
    </Page>
  )
}

function ScriptTab({ edited }: Props): ReactNode {
  const { may } = useSession()
  const modules = useModules()
  const canSave = may('saveModuleDraft')
  return (
    <Stack gap="md">
      <Textarea
        label={texts.description}
        autosize
        maw="40rem"
        value={edited.draft.description}
        readOnly={!canSave}
        error={faultsAt(placedFaults(edited.problem), '/description')}
        onChange={(event) => edited.change({ description: event.currentTarget.value })}
      />
      <LazyScriptEditor
        label={texts.scriptLabel}
        value={edited.draft.script}
        modules={modules}
        moduleName={edited.saved.name}
        onChange={canSave ? (script) => edited.change({ script }) : undefined}
      />
    </Stack>
  )
}

function Actions({ edited }: Props): ReactNode {
  const { api, may } = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [isDeleting, deleting] = useDisclosure()
  const { saved, etag } = edited
  const path = { name: saved.name }
  const read = () =>
    Promise.all(
      ['modules', 'module-names', 'module-versions'].map((key) =>
        queries.invalidateQueries({ queryKey: [key] }),
      ),
    )
  const publish = async (note: string | null, { draftRevision: revision }: Module) => {
    const answer = await answerOf(
      api.POST('/api/admin/v1/modules/{name}/publish', { params: { path }, body: { note, revision } }),
    )
    edited.adopt(answer)
    notifications.show({ message: scriptingTexts.published(answer.data.version ?? 0) })
    await read()
  }
  const remove = async () => {
    await answerOf(
      api.DELETE('/api/admin/v1/modules/{name}', { params: { path, header: { 'if-match': etag } } }),
    )
    edited.discard()
    notifications.show({ message: texts.deleted(saved.name) })
    await read()
    await navigate({ to: '/modules', ignoreBlocker: true })
  }
  return (
    <>
      <DraftActions
        edited={edited}
        canSave={may('saveModuleDraft')}
        canPublish={may('publishModule') && (saved.hasUnpublishedChanges || edited.isChanged)}
        onPublish={publish}
      />
      {may('deleteModule') && (
        <Button variant="default" size="xs" c="var(--tone-bad)" onClick={deleting.open}>
          {scriptingTexts.delete}
        </Button>
      )}
      <TypedConfirmDialog
        isOpen={isDeleting}
        title={texts.deleteTitle}
        name={saved.name}
        action={scriptingTexts.delete}
        onConfirm={remove}
        onClose={deleting.close}
      >
        <Text>{texts.deleteText}</Text>
      </TypedConfirmDialog>
    </>
  )
}
