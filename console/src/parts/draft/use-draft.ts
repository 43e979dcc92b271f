/**
 * Something that is edited as a draft: what the server has, what was changed here, and what happens when somebody else saved in
 * between. Nothing that was typed is lost: a refused draft stays, and a change by others is shown before anything is overwritten.
 */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Answer } from '../../api/client.ts'
import { ApiProblem } from '../../api/problem.ts'

type Versioned<Saved> = { readonly data: Saved; readonly etag: string | undefined }

type DraftSource<Saved, Draft> = {
  readonly key: readonly unknown[]
  readonly read: (signal?: AbortSignal) => Promise<Answer<Saved>>
  readonly draftOf: (saved: Saved) => Draft
  /** @throws ApiProblem 412 when the saved draft is another than that of the tag */
  readonly write: (draft: Draft, etag: string) => Promise<Answer<Saved>>
}

/** What the draft was made from, and what another has saved since. */
export type DraftConflict<Saved> = { readonly base: Saved; readonly theirs: Versioned<Saved> }

export type EditedDraft<Saved, Draft> = {
  readonly saved: Saved
  /** For changes other than that of the draft. */
  readonly etag: string
  readonly draft: Draft
  readonly isChanged: boolean
  readonly isSaving: boolean
  readonly problem: ApiProblem | undefined
  readonly conflict: DraftConflict<Saved> | undefined
  readonly change: (changes: Partial<Draft>) => void
  readonly replace: (draft: Draft) => void
  readonly discard: () => void
  /** Undefined when the draft was refused. */
  readonly save: () => Promise<Versioned<Saved> | undefined>
  /** Ends a conflict: `theirs` drops what was changed here, `mine` overwrites what another has saved. */
  readonly resolve: (choice: 'theirs' | 'mine' | 'later') => Promise<void>
  /** What the server answered to another change of the draft, which replaces what was changed here. */
  readonly adopt: (answer: Answer<Saved>) => void
  /** What the server answered to a change that left the draft as it is. */
  readonly refresh: (answer: Answer<Saved>) => void
}

export type LoadedDraft<Saved, Draft> = {
  readonly edited: EditedDraft<Saved, Draft> | undefined
  readonly error: Error | null
  readonly retry: () => void
}

type Edits<Saved, Draft> = { readonly base: Versioned<Saved>; readonly draft: Draft }

export function useDraft<Saved, Draft>(source: DraftSource<Saved, Draft>): LoadedDraft<Saved, Draft> {
  const { key, draftOf } = source
  const queries = useQueryClient()
  const query = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => versioned(await source.read(signal)),
  })
  const [edits, setEdits] = useState<Edits<Saved, Draft>>()
  const [isSaving, setSaving] = useState(false)
  const [problem, setProblem] = useState<ApiProblem>()
  const [conflict, setConflict] = useState<DraftConflict<Saved>>()
  const current = query.data
  if (current === undefined) {
    return { edited: undefined, error: query.error, retry: () => void query.refetch() }
  }
  const base = edits?.base ?? current
  const draft = edits?.draft ?? draftOf(current.data)

  const keep = (answer: Versioned<Saved>) => queries.setQueryData(key, answer)
  const write = async (basis: Versioned<Saved>): Promise<Versioned<Saved> | undefined> => {
    setSaving(true)
    setProblem(undefined)
    try {
      const answer = versioned(await source.write(draft, basis.etag ?? '*'))
      keep(answer)
      // What was typed meanwhile is a change of what is saved now.
      setEdits((now) => (now === undefined || now.draft === draft ? undefined : { ...now, base: answer }))
      return answer
    } catch (cause) {
      if (!(cause instanceof ApiProblem)) throw cause
      if (cause.status !== 412) setProblem(cause)
      else {
        await source.read().then(
          (answer) => setConflict({ base: basis.data, theirs: versioned(answer) }),
          // Nothing is known of the other draft, so the refusal is all there is to tell.
          () => setProblem(cause),
        )
      }
      return undefined
    } finally {
      setSaving(false)
    }
  }
  const edited: EditedDraft<Saved, Draft> = {
    saved: current.data,
    etag: current.etag ?? '*',
    draft,
    isChanged: edits !== undefined && JSON.stringify(draft) !== JSON.stringify(draftOf(base.data)),
    ...{ isSaving, problem, conflict },
    change: (changes) =>
      setEdits((now) => ({
        base: now?.base ?? current,
        draft: { ...(now?.draft ?? draftOf(current.data)), ...changes },
      })),
    replace: (draft) => setEdits((now) => ({ base: now?.base ?? current, draft })),
    discard: () => {
      setEdits(undefined)
      setProblem(undefined)
    },
    save: () => write(base),
    resolve: async (choice) => {
      const theirs = conflict?.theirs
      setConflict(undefined)
      if (theirs === undefined || choice === 'later') return
      keep(theirs)
      if (choice === 'theirs') setEdits(undefined)
      else {
        setEdits((now) => now && { ...now, base: theirs })
        await write(theirs)
      }
    },
    adopt: (answer) => {
      keep(versioned(answer))
      setEdits(undefined)
    },
    refresh: (answer) => {
      keep(versioned(answer))
      setEdits((now) => now && { ...now, base: versioned(answer) })
    },
  }
  return { edited, error: null, retry: () => void query.refetch() }
}

const versioned = <Saved>({ data, etag }: Answer<Saved>): Versioned<Saved> => ({ data, etag })
