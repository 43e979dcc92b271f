/** Shows that a part of the page has failed, in its place; the rest goes on. */
import { Component, type ReactNode } from 'react'
import { forgetFailedParts, PartUnreachable } from '../parts/lazy/lazy-part.tsx'
import { Page } from '../parts/page.tsx'
import { ErrorState } from '../parts/states.tsx'
import { appTexts } from '../texts/app.ts'
import { isMissingPart } from './missing-parts.ts'

type Props = {
  /** Within the frame. When it changes, a failure is forgotten: another page is shown. */
  readonly page?: string
  readonly children: ReactNode
}
type State = { readonly failure: unknown }

export class FailureBoundary extends Component<Props, State> {
  override state: State = { failure: undefined }

  static getDerivedStateFromError(failure: unknown): State {
    return { failure }
  }

  override componentDidUpdate({ page }: Props): void {
    if (page !== this.props.page && this.state.failure !== undefined) this.#retry()
  }

  override componentDidMount(): void {
    window.addEventListener('online', this.#retryOffline)
  }

  override componentWillUnmount(): void {
    window.removeEventListener('online', this.#retryOffline)
  }

  readonly #retry = (): void => {
    forgetFailedParts()
    this.setState({ failure: undefined })
  }

  readonly #retryOffline = (): void => {
    if (isOffline(this.state.failure)) this.#retry()
  }

  override render(): ReactNode {
    const { failure } = this.state
    const { page, children } = this.props
    if (failure === undefined) return children
    const isUnreachable = failure instanceof PartUnreachable
    const state =
      isMissingPart(failure) || (isUnreachable && !failure.isOffline) ? (
        <ErrorState
          title={appTexts.notLoaded}
          error={failure}
          retryLabel={appTexts.reload}
          onRetry={() => location.reload()}
        />
      ) : (
        <ErrorState
          title={isUnreachable ? appTexts.notLoaded : appTexts.failed}
          error={failure}
          onRetry={this.#retry}
        />
      )
    return page === undefined ? state : <Page title={appTexts.failedPage}>{state}</Page>
  }
}

const isOffline = (failure: unknown): boolean => failure instanceof PartUnreachable && failure.isOffline
