package dev.knitting.bench.peer;

import java.rmi.Remote;
import java.rmi.RemoteException;

/** {@link BenchTasks} as a remote interface. */
interface RmiService extends Remote {
    long inc(long value) throws RemoteException;

    byte[] echoBytes(byte[] bytes) throws RemoteException;

    String echoString(String text) throws RemoteException;

    Order echoOrder(Order order) throws RemoteException;
}
