/** Shared memory in which threads show that their event loops still turn: the time of the last beat, by thread number. */

export type Heartbeats = {
  readonly memory: SharedArrayBuffer
  /** Milliseconds since the thread's last heartbeat; 0 before the first one. */
  readonly silence: (number: number) => number
}

export function openHeartbeats(count: number): Heartbeats {
  const memory = new SharedArrayBuffer(count * BigInt64Array.BYTES_PER_ELEMENT)
  const times = new BigInt64Array(memory)
  return {
    memory,
    silence: (number) => {
      const last = Number(Atomics.load(times, number))
      return last === 0 ? 0 : Date.now() - last
    },
  }
}

const HEARTBEAT_EVERY_MS = 100

/** Starts the heartbeat of this thread. @returns a function that ends it, after which the watchdog does not count silence */
export function startHeartbeat(memory: SharedArrayBuffer, number: number): () => void {
  const times = new BigInt64Array(memory)
  const beat = () => Atomics.store(times, number, BigInt(Date.now()))
  beat()
  const timer = setInterval(beat, HEARTBEAT_EVERY_MS).unref()
  return () => {
    clearInterval(timer)
    Atomics.store(times, number, 0n)
  }
}
