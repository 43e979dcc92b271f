/** The script of the draft in the editor. */
import type { ReactNode } from 'react'
import type { EditedDraft } from '../../../parts/draft/use-draft.ts'
import { LazyScriptEditor } from '../../../parts/script/lazy.tsx'
import type { ScriptPlace } from '../../../parts/script/script-editor.tsx'
import { endpointTexts as texts } from '../../../texts/scripts/endpoints.ts'
import type { Endpoint, EndpointDefinition } from '../../scripting/definition-types.ts'
import { useModules } from '../../scripting/use-modules.ts'
import { useSession } from '../../session/session.tsx'

type Props = {
  readonly edited: EditedDraft<Endpoint, EndpointDefinition>
  readonly target: ScriptPlace | undefined
}

export function ScriptTab({ edited, target }: Props): ReactNode {
  const { may } = useSession()
  const modules = useModules()
  return (
    <LazyScriptEditor
      label={texts.scriptLabel}
      value={edited.draft.script}
      modules={modules}
      onChange={may('saveEndpointDraft') ? (text) => edited.change({ script: text }) : undefined}
      target={target}
    />
  )
}
