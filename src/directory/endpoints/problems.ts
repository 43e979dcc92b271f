/** Problems of endpoints in the control store: DIR301-309 not found, DIR310-329 conflicts, DIR330-359 invalid values. */
import { Problem } from '../../kernel/problem.ts'
import type { WhyUnusable } from '../secrets/usable-secret.ts'

export const unknownEndpoint = (reference: string, nearest?: string) =>
  new Problem(
    'DIR301',
    `Expected the id or name of an endpoint, found '${reference}', which no endpoint has`,
    {
      hint:
        nearest === undefined
          ? 'Give the id, at least its first four characters, or the name; the list of endpoints shows them.'
          : `Did you mean '${nearest}'?`,
    },
  )

export const unknownVersion = (name: string, version: number, newest: number | null) =>
  new Problem('DIR302', `Expected a published version of '${name}', found ${version}, which does not exist`, {
    hint: newest === null ? 'No version of it has been published.' : `Versions 1 to ${newest} are kept.`,
  })

export const routeTaken = (
  route: string,
  holder: { readonly id: string; readonly name: string; readonly part: 'draft' | 'published version' },
) =>
  new Problem(
    'DIR310',
    `Expected a method and path that no other endpoint has, found ${route}, which the ${holder.part} of '${holder.name}' (${holder.id}) has`,
    {
      hint: 'Letter case and the names of parameters make no difference; give one of the two another path.',
    },
  )

export const draftHasChanged = (
  name: string,
  expected: number,
  found: { readonly revision: number; readonly changedBy: string; readonly changedAt: string },
) =>
  new Problem(
    'DIR311',
    `Expected revision ${expected} of the draft of '${name}', found ${found.revision}, saved by ${found.changedBy} at ${found.changedAt}`,
    { hint: 'Read the draft again, merge the two changes, and save with its new revision.' },
  )

export const nothingToPublish = (name: string, version: number) =>
  new Problem(
    'DIR312',
    `Expected a draft of '${name}' that differs from its version ${version}, found no difference`,
    { hint: 'Save a change of the draft first. To make a version answer again, activate the endpoint.' },
  )

export const nameTaken = (name: string, holder: { readonly id: string; readonly name: string }) =>
  new Problem(
    'DIR313',
    `Expected a name that no other endpoint has, found '${name}', the name of '${holder.name}' (${holder.id})`,
    { hint: 'Names must differ by more than letter case; choose another one.' },
  )

export const ambiguousEndpoint = (
  reference: string,
  matches: readonly { readonly id: string; readonly name: string }[],
) =>
  new Problem('DIR314', `Expected one endpoint for '${reference}', found ${matches.length}`, {
    hint: `Give the full id of one of: ${matches.map(({ id, name }) => `${id} (${name})`).join(', ')}.`,
  })

export const nothingPublished = (name: string) =>
  new Problem('DIR315', `Expected a published version of '${name}' to activate, found only a draft`, {
    hint: 'Publish it; the first publication activates it as well.',
  })

export const malformedPath = (path: string, fault: string) =>
  new Problem('DIR330', `Expected a path such as reports/spend/{client}, found '${path}' with ${fault}`, {
    hint: 'Write the part after /api/dynamic/v1/, without slashes at its ends.',
  })

export const noteTooLong = (longest: number, found: number) =>
  new Problem('DIR331', `Expected a note of at most ${longest} characters, found ${found}`, {
    hint: 'Say in a sentence why the version is published.',
  })

export const signingSecretMissing = (name: string, secret: string, found: WhyUnusable) =>
  new Problem(
    'AUT107',
    `Expected the secret '${secret}', which checks the deliveries to '${name}', found it ${found}`,
    {
      hint: 'Store it with `tripfolio secret set` or PUT /api/admin/v1/secrets/{name}, then publish again. Until then every delivery would be answered with 503.',
    },
  )
