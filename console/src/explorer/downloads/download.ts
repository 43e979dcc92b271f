/**
 * Downloads an answer into a file. Browsers that can write files get it chunk by chunk on the disk; in others it is collected
 * and handed over when it is complete.
 */
import type { Credential } from '../../api/credential.ts'
import { problemOf, unreachable } from '../../api/problem.ts'
import { saveFile } from '../../parts/save-file.ts'

type SaveFilePicker = (options: { readonly suggestedName: string }) => Promise<FileSystemFileHandle>

export type DownloadOptions = {
  readonly path: string
  readonly credential: () => Credential
  /** Named by the first answer of the server, which says what the data is. */
  readonly nameOf: (headers: Headers) => string
  /** Before anything is read, so that the browser asks while the click is fresh. */
  readonly suggestedName: string
  readonly signal: AbortSignal
  readonly onProgress: (bytes: number) => void
}

export type Downloaded = { readonly name: string; readonly bytes: number }

/** @throws ApiProblem when the server refuses or the connection breaks; an AbortError when the user leaves */
export async function download(options: DownloadOptions): Promise<Downloaded> {
  const { path, credential, nameOf, suggestedName, signal } = options
  const picker = (globalThis as { readonly showSaveFilePicker?: SaveFilePicker }).showSaveFilePicker
  const handle = picker === undefined ? undefined : await picker({ suggestedName })
  const { header, value } = credential()
  const response = await fetch(path, {
    headers: { [header]: value },
    credentials: 'omit',
    cache: 'no-store',
    signal,
  }).catch((cause: unknown) => {
    throw signal.aborted ? cause : unreachable(cause)
  })
  if (!response.ok || response.body === null) {
    throw problemOf(response, await response.json().catch(() => null))
  }
  const counted = response.body.pipeThrough(counter(options.onProgress))
  // Chromium calls every break a TypeError, also that by the user.
  const explained = (cause: unknown) => {
    if (signal.aborted) throw signal.reason
    throw cause instanceof TypeError ? unreachable(cause) : cause
  }
  if (handle !== undefined) {
    let bytes = 0
    // `pipeTo` aborts the file when the answer breaks off: the file on the disk stays as it was.
    await counted
      .pipeThrough(counter((sum) => (bytes = sum)))
      .pipeTo(await handle.createWritable(), { signal })
      .catch(explained)
    return { name: handle.name, bytes }
  }
  const content = await new Response(counted).blob().catch(explained)
  const name = nameOf(response.headers)
  saveFile(name, content)
  return { name, bytes: content.size }
}

function counter(onProgress: (bytes: number) => void): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength
      onProgress(bytes)
      controller.enqueue(chunk)
    },
  })
}
