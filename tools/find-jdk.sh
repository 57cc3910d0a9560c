# Finds a JDK 25 or newer. Sourced by the scripts ./knit and .ci/run.
#
# find_jdk sets JDK_HOME and returns 0, or returns 1 when there is none. It reads the `release` file
# that lies in every JDK, rather than starting a JVM only to ask for its version.

JDK_WANTED=25
JDK_PLACES='JAVA_HOME, java on the PATH, /usr/lib/jvm/*, /opt/*jdk*, ~/.sdkman/candidates/java/*, /Library/Java/JavaVirtualMachines/*/Contents/Home'

# jdk_is_new_enough HOME
jdk_is_new_enough() {
    [ -x "$1/bin/java" ] && [ -x "$1/bin/javac" ] && [ -r "$1/release" ] || return 1
    local key value
    while IFS='=' read -r key value || [ -n "$key" ]; do
        if [ "$key" = JAVA_VERSION ]; then
            value=${value#\"}         # "25.0.1" -> 25
            value=${value%%[!0-9]*}
            [ -n "$value" ] && [ "$value" -ge "$JDK_WANTED" ]
            return
        fi
    done <"$1/release"
    return 1
}

find_jdk() {
    local on_path home
    on_path=$(command -v java) && on_path=$(readlink -f "$on_path" 2>/dev/null) || on_path=
    for home in \
        "${JAVA_HOME:-}" \
        "${on_path%/bin/java}" \
        /usr/lib/jvm/* \
        /opt/*jdk* \
        "${HOME:-}"/.sdkman/candidates/java/* \
        /Library/Java/JavaVirtualMachines/*/Contents/Home; do
        if [ -n "$home" ] && jdk_is_new_enough "$home"; then
            JDK_HOME=$home
            return 0
        fi
    done
    return 1
}

# jdk_description HOME: what lies there instead of a JDK that is new enough
jdk_description() {
    if [ ! -d "$1" ]; then
        echo 'there is no such folder'
    elif [ ! -x "$1/bin/javac" ]; then
        echo 'this is no JDK, bin/javac is missing'
    else
        echo "this is $(grep -s '^JAVA_VERSION=' "$1/release" || echo 'a JDK that does not tell its version')"
    fi
}

no_jdk_message() {
    echo "$1: no JDK $JDK_WANTED or newer found." >&2
    if [ -n "${JAVA_HOME:-}" ]; then
        echo "JAVA_HOME is $JAVA_HOME: $(jdk_description "$JAVA_HOME")." >&2
    fi
    echo "Install one (for example Temurin $JDK_WANTED), or set JAVA_HOME to it." >&2
    echo "Looked at: $JDK_PLACES." >&2
}
