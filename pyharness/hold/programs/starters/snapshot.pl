# Chandy and Lamport's snapshot, for `pyharness hold -- perl snapshot.pl`. JSON::PP comes with Perl.
# A stateful program: it keeps its state, and `reset` begins anew.
# BUG=late-turn records one marker late; BUG=history forgets to record after two messages.

use strict;
use warnings;
use JSON::PP;

my $bug = $ENV{BUG} // '';
my ($me, %p);

# -- the algorithm ----------------------------------------------------------------------------------------------

sub record {
    $p{recorded} = [@{ $p{items} }];
    tell_node($_, { type => 'marker' }) for @{ $p{outputs} };
}

sub complete { return $p{recorded} && keys %{ $p{closed} } == @{ $p{inputs} } }

my %handlers = (
    send => sub {
        my ($body) = @_;
        $p{items} = [grep { $_ != $body->{msg} } @{ $p{items} }];
        tell_node($body->{to}, { type => 'message', msg => $body->{msg} });
    },
    message => sub {
        my ($body, $src) = @_;
        push @{ $p{items} }, $body->{msg};
        $p{seen}++ if $bug eq 'history' && !$p{recorded};
        push @{ $p{channels}{$src} }, $body->{msg} if $p{recorded} && !$p{closed}{$src} && $p{seen} < 2;
    },
    marker => sub {
        my ($body, $src) = @_;
        my $late = $bug eq 'late-turn' && !%{ $p{closed} };
        $p{closed}{$src} = 1;
        record() if !$p{recorded} && !$late;
    },
    initiate => sub {
        die "not now\n" if !$p{initiator} || $p{recorded};
        record();
    },
);

# -- the glue ---------------------------------------------------------------------------------------------------

sub tell_node {
    my ($dest, $body) = @_;
    print encode_json({ src => $me, dest => $dest, body => $body }), "\n";
}

$| = 1;
while (my $line = <STDIN>) {
    my ($src, $body) = @{ decode_json($line) }{qw(src body)};
    my ($type, @reply) = ($body->{type}, in_reply_to => $body->{msg_id});
    if ($type eq 'init') {
        $me = $body->{node_id};
        tell_node($src, { type => 'init_ok', @reply });
    } elsif ($type eq 'reset') {
        %p = (%$body, recorded => undef, channels => {}, closed => {}, seen => 0);
        tell_node($src, { type => 'reset_ok', version => 1, @reply });
    } elsif ($type eq 'show') {
        my %shows = (%p{qw(items recorded channels)}, complete => complete() ? JSON::PP::true : JSON::PP::false);
        tell_node($src, { type => 'show_ok', @reply, %shows });
    } else {
        eval { $handlers{$type}->($body, $src); 1 } or tell_node($src, { type => 'error', code => 22, text => $@, @reply });
    }
}
