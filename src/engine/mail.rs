//! Typed mail: from a message and an address to an envelope, and from an envelope to the actor's handler.

use actix::{Actor, ActorContext, ActorState, Handler, Message, Running};

use crate::engine::SimContext;

/// Where a message of type `M` can be sent to.
///
/// Actors hold addresses (a node's number, or a unit for one-of-a-kind actors), never references to one another.
pub trait Address<M> {
    /// What carries the message through the agenda.
    type Envelope;

    /// Puts `message` into an envelope that bears this address.
    fn envelope(self, message: M) -> Self::Envelope;
}

/// What became of an actor while it was served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Served {
    /// It goes on.
    Running,
    /// It has stopped and must not be served again.
    Stopped,
}

/// Hands `message` to the handler of `actor`, then carries out a stop that the actor asked for, as actix defines it.
pub fn hand_over<A, M, E, C>(actor: &mut A, message: M, ctx: &mut SimContext<E, C>) -> Served
where
    A: Actor<Context = SimContext<E, C>> + Handler<M, Result = ()>,
    M: Message<Result = ()>,
    E: 'static,
    C: 'static,
{
    actor.handle(message, ctx);
    if ctx.state() == ActorState::Running { Served::Running } else { wind_up(actor, ctx) }
}

/// An actor that was told to stop may ask to stay; one that was terminated is not asked.
#[cold]
fn wind_up<A, E, C>(actor: &mut A, ctx: &mut SimContext<E, C>) -> Served
where
    A: Actor<Context = SimContext<E, C>>,
    E: 'static,
    C: 'static,
{
    let stays = ctx.state() == ActorState::Stopping && actor.stopping(ctx) == Running::Continue;
    if !stays {
        ctx.set_state(ActorState::Stopped);
        actor.stopped(ctx);
    }
    // The context serves the next actor.
    ctx.set_state(ActorState::Running);
    if stays { Served::Running } else { Served::Stopped }
}

/// Writes the enum of all messages that an actor hears, and the dispatch to its handlers, from one list.
macro_rules! mailbox {
    ($(#[$doc:meta])* $mail:ident for $actor:ty, in $ctx:ty { $($message:ident),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub enum $mail {
            $(
                #[doc = concat!("See [`", stringify!($message), "`].")]
                $message($message)
            ),*
        }

        $(
            impl From<$message> for $mail {
                fn from(message: $message) -> Self {
                    Self::$message(message)
                }
            }
        )*

        impl $mail {
            /// Hands the message to its handler.
            pub fn deliver(self, actor: &mut $actor, ctx: &mut $ctx) -> $crate::engine::Served {
                match self {
                    $(Self::$message(message) => $crate::engine::hand_over(actor, message, ctx)),*
                }
            }
        }
    };
}

pub(crate) use mailbox;
